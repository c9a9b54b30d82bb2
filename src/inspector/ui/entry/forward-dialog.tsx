import { useState } from "preact/hooks";
import { client } from "../client.ts";
import { sentMessage } from "../messages.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { visible } from "../parts/format.ts";
import { Outcome, SendButton, submitting, useOutcome } from "../parts/outcome.tsx";
import { Said } from "./attempts.tsx";

interface ForwardDialogProps {
  seq: number;
  forwards: readonly string[];
  onClose: () => void;
}

/** A dialog to send the same bytes to another target. Its answer is shown in the dialog. */
export function ForwardDialog({ seq, forwards, onClose }: ForwardDialogProps) {
  const [target, setTarget] = useState(forwards[0] ?? "http://127.0.0.1:3000/webhooks");
  const [answer, setAnswer] = useState<string>();
  const { result, isBusy, run } = useOutcome();
  const send = () =>
    run(async () => {
      setAnswer(undefined);
      const sent = await client.forward(seq, target);
      setAnswer(sent.body);
      return sentMessage({ ...sent, body: "" });
    });
  return (
    <Dialog title="Forward to another target" onClose={onClose}>
      <form onSubmit={submitting(send)}>
        <label class="field">
          Target
          <input
            type="text"
            inputMode="url"
            list="targets"
            value={target}
            onInput={(event) => setTarget(event.currentTarget.value)}
          />
        </label>
        <datalist id="targets">
          {forwards.map((forward) => (
            <option key={forward} value={forward} />
          ))}
        </datalist>
        <p class="quiet">
          Sends the same bytes and signature once. The target must be on this machine, or one that
          listen forwards to.
        </p>
        <Outcome result={result} />
        {answer !== undefined && (
          <Said>{answer === "" ? "(empty response)" : visible(answer, { lines: true })}</Said>
        )}
        <div class="form-end">
          <SendButton label={isBusy ? "Forwarding" : "Forward"} isBusy={isBusy} />
        </div>
      </form>
    </Dialog>
  );
}
