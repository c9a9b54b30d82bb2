import { useState } from "preact/hooks";
import type { PauseOf } from "../../../inbox/pause.ts";
import { client } from "../client.ts";
import { Button } from "../parts/button.tsx";
import { CloseButton, Dialog } from "../parts/dialog.tsx";
import { visible } from "../parts/format.ts";
import { Outcome, SendButton, submitting, useOutcome } from "../parts/outcome.tsx";
import { usePolled } from "../use-loaded.ts";

const REFRESH = 2000; // milliseconds between two looks

/**
 * What is paused and which retries are under way, on every page, with a button for each pause that
 * ends it.
 */
export function PausedNotice() {
  const { value, again } = usePolled(client.pauses, REFRESH);
  const { result, run } = useOutcome();
  const resume = (of: PauseOf) =>
    run(async () => {
      await client.resume(of);
      return undefined;
    }).then(again);
  if (value === undefined || value.lines.length === 0) return null;
  return (
    <section class="warning across" role="status" aria-label="Paused">
      {value.lines.map((line) => (
        <p key={line}>{visible(line)}</p>
      ))}
      {value.scopes.map((of) => (
        <Button
          label={`Resume ${of.scope === "all" ? "everything" : `${of.scope} ${visible(of.name)}`}`}
          key={`${of.scope} ${of.name}`}
          onClick={() => resume(of)}
        />
      ))}
      <Outcome result={result} />
    </section>
  );
}

const SCOPES = ["all", "kind", "handler", "target", "source"] as const;

export function PauseButton() {
  const [isOpen, setOpen] = useState(false);
  const [of, setOf] = useState<PauseOf>({ scope: "all", name: "" });
  const { result, isBusy, run } = useOutcome();
  const pause = () =>
    run(async () => {
      await client.pause(of);
      return { good: true, text: "Paused, in every process, until it is resumed." };
    });
  return (
    <>
      <Button label="Pause…" aria-haspopup="dialog" onClick={() => setOpen(true)} />
      {isOpen && (
        <Dialog title="Pause runs" onClose={() => setOpen(false)}>
          <form onSubmit={submitting(pause)}>
            <p class="quiet">Deliveries are received and kept all the same.</p>
            <label>
              What{" "}
              <select
                value={of.scope}
                onChange={({ currentTarget: { value } }) =>
                  setOf({ scope: SCOPES.find((scope) => scope === value) ?? "all", name: "" })
                }
              >
                {SCOPES.map((scope) => (
                  <option key={scope} value={scope}>
                    {scope === "all" ? "everything" : scope}
                  </option>
                ))}
              </select>
            </label>
            {of.scope !== "all" && (
              <label>
                Name{" "}
                <input
                  required
                  value={of.name}
                  onInput={({ currentTarget: { value } }) =>
                    setOf({ scope: of.scope, name: value })
                  }
                />
              </label>
            )}
            <Outcome result={result} />
            <div class="form-end">
              <CloseButton label="Close" />
              <SendButton label="Pause" isBusy={isBusy} />
            </div>
          </form>
        </Dialog>
      )}
    </>
  );
}
