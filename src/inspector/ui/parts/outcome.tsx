import { useState } from "preact/hooks";
import { type Message, useAction } from "../messages.tsx";
import { takeFocus } from "./dialog.tsx";

/** Runs the action of a dialog or form, and keeps its result for {@link Outcome}. */
export function useOutcome() {
  const [result, setResult] = useState<Message>();
  const { isBusy, run } = useAction(setResult);
  const start = (work: () => Promise<Message | undefined>) =>
    run(() => {
      setResult(undefined);
      return work();
    });
  return { result, isBusy, run: start };
}

/**
 * A result where it belongs: in a dialog, messages of the page behind it can be neither seen nor
 * heard.
 */
export function Outcome({ result }: { result: Message | undefined }) {
  // Screen readers announce what is added to an element that is there already.
  return (
    <div class="outcome">
      <p role="status">{result?.good === true && result.text}</p>
      <p role="alert">{result?.good === false && result.text}</p>
    </div>
  );
}

/** What a form does instead of what browsers do with one. */
export function submitting(act: () => unknown): (event: Event) => void {
  return (event) => {
    event.preventDefault();
    void act();
  };
}

/** The button that submits a form: while the form is busy, it keeps the focus but does nothing. */
export function SendButton({ label, isBusy }: { label: string; isBusy: boolean }) {
  return (
    <button
      type="submit"
      ref={takeFocus}
      class="main"
      aria-disabled={isBusy}
      onClick={(event) => {
        if (isBusy) event.preventDefault();
      }}
    >
      {label}
    </button>
  );
}
