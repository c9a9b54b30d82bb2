import { useRef, useState } from "preact/hooks";
import { durationText } from "../../base/text/duration-text.ts";
import { tryOr } from "../../base/try-or.ts";
import type { Sent } from "../api.ts";
import { Button } from "./parts/button.tsx";
import { errorText } from "./use-loaded.ts";

const SHOWN = 8000; // milliseconds for which a message is shown

export interface Message {
  readonly good: boolean;
  readonly text: string;
}

let timer: ReturnType<typeof setTimeout> | undefined;
/** What the page's one `MessageBox` shows, and how to change it. */
let shown: Message | undefined;
let show: (message: Message | undefined) => void = () => {};

/**
 * Shows a message for a while, in place of the one before. Returns a function that says whether it
 * is still shown.
 */
export function showMessage(message: Message | undefined): () => boolean {
  clearTimeout(timer);
  timer = setTimeout(show, SHOWN, undefined);
  show(message);
  return () => shown === message;
}

/** Runs an action and shows its result. While one is under way, others are ignored. */
export function useAction(show: (result: Message) => void) {
  const pending = useRef(false);
  const [isBusy, setBusy] = useState(false);
  const run = async (work: () => Promise<Message | undefined>): Promise<void> => {
    if (pending.current) return;
    pending.current = true;
    setBusy(true);
    try {
      const result = await work();
      if (result !== undefined) show(result);
    } catch (thrown) {
      show({ good: false, text: errorText(thrown) });
    } finally {
      pending.current = false;
      setBusy(false);
    }
  };
  return { isBusy, run };
}

/** Returns a function that runs an action and shows its result as a message of the page. */
export function useAttempt() {
  return useAction(showMessage).run;
}

export function sentMessage({ status, ok, duration, body, url }: Sent): Message {
  const what = answerText(body);
  const text =
    `${new URL(url).host} answered ${status} in ${durationText(duration)}. ${what}`.trim();
  return { good: ok, text };
}

function answerText(body: string): string {
  return tryOr(
    () => {
      const { error, duplicate } = JSON.parse(body);
      if (duplicate === true) return "Duplicate.";
      return typeof error?.message === "string" ? error.message : "";
    },
    body.slice(0, 200),
  );
}

/** Where messages are shown. Screen readers announce each one. */
export function MessageBox() {
  const [message, setMessage] = useState<Message>();
  show = setMessage;
  shown = message;
  return (
    <div class="messages" role="status" aria-live="polite">
      {message !== undefined && (
        <div class={`message ${message.good ? "good" : "bad"}`}>
          <span>{message.text}</span>
          <Button
            label="×"
            class="plain"
            aria-label="Dismiss"
            onClick={() => showMessage(undefined)}
          />
        </div>
      )}
    </div>
  );
}
