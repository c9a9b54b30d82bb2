import { createContext } from "preact";
import { useContext, useRef, useState } from "preact/hooks";
import { durationText } from "../../text/duration-text.ts";
import type { Sent } from "../api.ts";

/** Milliseconds for which a message is shown. */
const SHOWN = 8000;

export interface Message {
  readonly good: boolean;
  readonly text: string;
}

/** Shows a message for a while, in place of the one before. */
export type Tell = (message: Message) => void;

export const TellContext = createContext<Tell>(() => {});

/** The message to show, and what shows and dismisses one. */
export function useMessage() {
  const [message, setMessage] = useState<Message>();
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const [tell] = useState(() => (next: Message | undefined) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(setMessage, SHOWN, undefined);
    setMessage(next);
  });
  return { message, tell };
}

/** Returns a function that runs an action and shows its result as a message. While one is under way, others are ignored. */
export function useAttempt(): (work: () => Promise<Message | undefined>) => Promise<boolean> {
  const tell = useContext(TellContext);
  const isBusy = useRef(false);
  return async (work) => {
    if (isBusy.current) return false;
    isBusy.current = true;
    try {
      const message = await work();
      if (message !== undefined) tell(message);
      return message?.good !== false;
    } catch (thrown) {
      tell({ good: false, text: thrown instanceof Error ? thrown.message : String(thrown) });
      return false;
    } finally {
      isBusy.current = false;
    }
  };
}

export function sentMessage({ status, ok, duration, body, url }: Sent): Message {
  const what = answerText(body);
  const text = `${new URL(url).host} answered ${status} in ${durationText(duration)}. ${what}`.trim();
  return { good: ok, text };
}

function answerText(body: string): string {
  try {
    const { error, duplicate } = JSON.parse(body);
    if (duplicate === true) return "Duplicate.";
    return typeof error?.message === "string" ? error.message : "";
  } catch {
    return body.slice(0, 200);
  }
}

/** Where messages are shown. Screen readers announce each one. */
export function MessageBox({ message, dismiss }: { message: Message | undefined; dismiss: () => void }) {
  return (
    <div class="messages" role="status" aria-live="polite">
      {message !== undefined && (
        <div class={`message ${message.good ? "good" : "bad"}`}>
          <span>{message.text}</span>
          <button type="button" class="plain" aria-label="Dismiss" onClick={dismiss}>
            ×
          </button>
        </div>
      )}
    </div>
  );
}
