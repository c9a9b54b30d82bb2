import type { Status } from "../../api.ts";
import { client } from "../client.ts";
import { Button, Command } from "../parts/button.tsx";
import { visible } from "../parts/format.ts";
import { useLoaded, usePolled } from "../use-loaded.ts";

/**
 * Milliseconds between two looks at the handlers, which are loaded again when their files change.
 */
const LOOK = 2000;

interface ReceivedAdviceProps {
  kind: string;
  status: Status | undefined;
  onAsk: () => void;
}

/**
 * What to do with an entry that nothing handled: get a handler, or run it and those like it once
 * there is one.
 */
export function ReceivedAdvice({ kind, status, onAsk }: ReceivedAdviceProps) {
  const { value: handlers = [] } = usePolled(() => client.handlers(kind), LOOK, [kind]);
  if (handlers.length > 0) return <RunThese kind={kind} handlers={handlers} onAsk={onAsk} />;
  if (status?.handlers != null) {
    return (
      <p>
        <strong>Next</strong> Add a handler for {visible(kind)} to{" "}
        <code>{visible(status.handlers)}</code>. It is loaded when you save it, and a button to run
        this entry appears here.
      </p>
    );
  }
  return (
    <div class="next">
      <p>
        <strong>Next</strong> Start listen with handlers, or with an app to forward to:
      </p>
      <Command words="listen --handlers handlers/" />
    </div>
  );
}

interface RunTheseProps {
  kind: string;
  handlers: readonly string[];
  onAsk: () => void;
}

function RunThese({ kind, handlers, onAsk }: RunTheseProps) {
  const { value: tally } = useLoaded(() => client.tally(receivedOf(kind)), [kind]);
  const count = tally?.states.received ?? 0;
  return (
    <div class="next run-these">
      <p>
        <strong>Next</strong> {handlers.length === 1 ? "A handler" : "Handlers"} for {visible(kind)}{" "}
        {handlers.length === 1 ? "is" : "are"} loaded now:{" "}
        <code>{visible(handlers.join(", "))}</code>
      </p>
      {count > 0 && (
        <Button
          label={`${count === 1 ? "Run it…" : `Run these ${count.toLocaleString("en")}…`}${tally?.next == null ? "" : " and more"}`}
          class="main"
          aria-haspopup="dialog"
          onClick={onAsk}
        />
      )}
    </div>
  );
}

export function receivedOf(kind: string): URLSearchParams {
  return new URLSearchParams({ state: "received", kind });
}
