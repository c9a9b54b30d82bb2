import { useState } from "preact/hooks";
import type { EntryDetail } from "../api.ts";
import type { ApiClient } from "./client.ts";
import { Dialog } from "./dialog.tsx";
import { EditDialog } from "./edit-dialog.tsx";
import { Menu, type MenuItem } from "./menu.tsx";
import { sentMessage, useAttempt } from "./messages.tsx";
import { visible } from "./visible.ts";

/** The actions for an entry. `onChanged` is called when the entry itself may have changed. */
export function EntryActions({
  entry,
  client,
  forwards,
  onChanged,
}: {
  entry: EntryDetail;
  client: ApiClient;
  forwards: readonly string[];
  onChanged: () => void;
}) {
  const [dialog, setDialog] = useState<"edit" | "forward">();
  const attempt = useAttempt();
  const { seq, state, delivery } = entry;
  const replay = (exact: boolean) => attempt(async () => sentMessage(await client.replay(seq, exact)));
  const redrive = () =>
    attempt(async () => {
      await client.redrive(seq);
      onChanged();
      return { good: true, text: `#${seq} will run again.` };
    });
  const retry = () =>
    attempt(async () => {
      await client.retry(seq);
      onChanged();
      return { good: true, text: `#${seq} runs now.` };
    });
  const drop = () =>
    attempt(async () => {
      await client.drop(seq);
      onChanged();
      return { good: true, text: `#${seq} was dropped; Redrive takes it back.` };
    });
  const copy = (what: string, text: () => Promise<string>) =>
    attempt(async () => {
      await navigator.clipboard.writeText(await text());
      return { good: true, text: `${what} was copied.` };
    });
  const save = (what: "body" | "fixture") =>
    attempt(async () => ({ good: true, text: `Saved ${await client.save(`/api/entries/${seq}/${what}`)}` }));
  const gone = delivery === null;
  const redrivable = state === "dead" || state === "unhandled";
  const [unfit, ...others] = entry.stillUnfit ?? [];
  const sendAgain: readonly MenuItem[] = [
    {
      label: "Send again as new",
      hint: "with a new timestamp and signature: a new event",
      onSelect: () => void replay(false),
    },
    {
      label: "Resend identical bytes",
      hint: "with the same signature: a duplicate",
      onSelect: () => void replay(true),
    },
    { label: "Edit and send…", hint: "signed again", onSelect: () => setDialog("edit") },
    { label: "Forward to…", hint: "the same bytes, to another target", onSelect: () => setDialog("forward") },
  ];
  const copies: readonly MenuItem[] = [
    {
      label: "Copy as curl",
      hint: "a command that sends the same bytes",
      disabled: gone,
      onSelect: () => void copy("The curl command", () => client.curl(seq)),
    },
    { label: "Copy event id", onSelect: () => void copy("The event id", async () => entry.eventId) },
  ];
  const more: readonly MenuItem[] = [
    {
      label: "Save fixture",
      hint: "a file for hookporter replay",
      disabled: gone,
      onSelect: () => void save("fixture"),
    },
    { label: "Download body", disabled: gone, onSelect: () => void save("body") },
    {
      label: "Drop",
      hint: "let it go: it does not run again by itself",
      disabled: state === "done" || entry.reason === "dropped",
      onSelect: () => void drop(),
    },
  ];
  return (
    <div class="actions" role="toolbar" aria-label="Actions">
      {redrivable && (
        <button
          type="button"
          class={unfit === undefined && state === "dead" ? "main" : ""}
          onClick={() => void redrive()}
        >
          {unfit === undefined ? "Redrive" : "Redrive anyway"}
        </button>
      )}
      {state === "pending" && (
        <button type="button" class="main" onClick={() => void retry()}>
          Retry now
        </button>
      )}
      <Menu label="Send again ▾" name="Send again" items={sendAgain} disabled={gone} />
      <Menu label="Copy ▾" name="Copy" items={copies} />
      <Menu label="⋯" name="More actions" items={more} />
      {unfit !== undefined && (
        <p class="warning">
          {`Redriving it now would fail again: ${visible(`${unfit.field}: ${unfit.message}`)}`}
          {others.length > 0 && ` and ${others.length} more`}
        </p>
      )}
      {dialog === "edit" && <EditDialog entry={entry} client={client} onClose={() => setDialog(undefined)} />}
      {dialog === "forward" && (
        <ForwardDialog seq={seq} client={client} forwards={forwards} onClose={() => setDialog(undefined)} />
      )}
    </div>
  );
}

/** A dialog to send the same bytes to another target. */
function ForwardDialog({
  seq,
  client,
  forwards,
  onClose,
}: {
  seq: number;
  client: ApiClient;
  forwards: readonly string[];
  onClose: () => void;
}) {
  const [target, setTarget] = useState(forwards[0] ?? "http://127.0.0.1:3000/webhooks");
  const [answer, setAnswer] = useState<string>();
  const attempt = useAttempt();
  const send = () =>
    attempt(async () => {
      setAnswer(undefined);
      const sent = await client.forward(seq, target);
      setAnswer(sent.body);
      return sentMessage(sent);
    });
  return (
    <Dialog title="Forward to another target" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
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
          {forwards.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <p class="quiet">
          Sends the same bytes and signature once. The target must be on this machine, or one that listen
          forwards to.
        </p>
        {answer !== undefined && <pre class="said">{answer === "" ? "(empty response)" : answer}</pre>}
        <div class="form-end">
          <button type="submit" class="main">
            Forward
          </button>
        </div>
      </form>
    </Dialog>
  );
}
