import { createContext } from "preact";
import { useContext, useRef } from "preact/hooks";
import { durationText } from "../../text/duration-text.ts";
import type { Sent } from "../api.ts";

export interface Message {
  readonly id: number;
  readonly good: boolean;
  readonly text: string;
  /** An entry to open. */
  readonly seq?: number | null;
}

/** Shows a message for a while. */
export type Tell = (message: Omit<Message, "id">) => void;

export const TellContext = createContext<Tell>(() => {});

/** Returns a function that runs an action and shows its result as a message. While one is under way, others are ignored. */
export function useAttempt(): (work: () => Promise<Omit<Message, "id"> | undefined>) => Promise<boolean> {
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

export function sentMessage({ status, ok, duration, body, seq, url }: Sent): Omit<Message, "id"> {
  const what = answerText(body);
  return {
    good: ok,
    text: `${new URL(url).host} answered ${status} in ${durationText(duration)}. ${what}`.trim(),
    seq,
  };
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

/** The messages, newest last. Screen readers announce each one. */
export function Messages({ messages, drop }: { messages: readonly Message[]; drop: (id: number) => void }) {
  return (
    <div class="messages" role="status" aria-live="polite">
      {messages.map(({ id, good, text, seq }) => (
        <div key={id} class={`message ${good ? "good" : "bad"}`}>
          <span>{text}</span>
          {seq != null && (
            <a href={`#/entry/${seq}`} onClick={() => drop(id)}>
              Open #{seq}
            </a>
          )}
          <button type="button" class="plain" aria-label="Dismiss" onClick={() => drop(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
