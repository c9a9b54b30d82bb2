import { useRef, useState } from "preact/hooks";
import type { Message } from "../messages.tsx";
import { takeFocus } from "./dialog.tsx";

/**
 * Runs the action of a dialog or form, and keeps its result for {@link Outcome}. While one is under way, another press does
 * nothing.
 */
export function useOutcome() {
  const [result, setResult] = useState<Message>();
  const [isBusy, setBusy] = useState(false);
  const underWay = useRef(false);
  /** Resolves to what the work returned; `undefined` if it failed, or was not started. */
  const run = async <Value,>(work: () => Promise<Value>): Promise<Value | undefined> => {
    if (underWay.current) return undefined;
    underWay.current = true;
    setBusy(true);
    setResult(undefined);
    try {
      return await work();
    } catch (thrown) {
      setResult({ good: false, text: thrown instanceof Error ? thrown.message : String(thrown) });
      return undefined;
    } finally {
      underWay.current = false;
      setBusy(false);
    }
  };
  return { result, setResult, isBusy, run };
}

/** A result where it belongs: in a dialog, messages of the page behind it can be neither seen nor heard. */
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
