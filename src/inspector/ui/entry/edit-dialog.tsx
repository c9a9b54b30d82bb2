import { useState } from "preact/hooks";
import { sizeText } from "../../../base/text/size-text.ts";
import type { EntryDetail } from "../../api.ts";
import { comparableLines } from "../../json/json-reader.ts";
import { client } from "../client.ts";
import { JsonEditor } from "../json/json-editor.tsx";
import { sentMessage, showMessage, useAttempt } from "../messages.tsx";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Outcome, SendButton, submitting, useOutcome } from "../parts/outcome.tsx";
import { showSent } from "../trigger/show-sent.ts";
import { useDraft } from "../trigger/use-draft.ts";
import { type LoadedBody, useWholeBody } from "./use-whole-body.ts";

export const MAX_EDITED = 2 * 1024 * 1024;

/** A dialog to edit the body and send it, signed, as a new delivery. Closing it keeps the draft. */
export function EditDialog({ entry, onClose }: { entry: EntryDetail; onClose: () => void }) {
  const body = useWholeBody(entry);
  return (
    <Dialog title="Edit and send as new delivery" onClose={onClose}>
      {body === undefined || body.isLoading ? (
        <p class="quiet">Loading the whole body</p>
      ) : body.form === "text" && (body.bytes > MAX_EDITED || body.cut) ? (
        <TooLarge entry={entry} bytes={body.bytes} />
      ) : (
        <EditForm {...{ entry, body, onClose }} />
      )}
    </Dialog>
  );
}

function TooLarge({ entry, bytes }: { entry: EntryDetail; bytes: number }) {
  const attempt = useAttempt();
  const save = () =>
    attempt(async () => ({
      good: true,
      text: `Saved ${await client.save(`/api/entries/${entry.seq}/body`)}`,
    }));
  const isLarge = bytes > MAX_EDITED;
  return (
    <>
      <p class="warning">
        {isLarge
          ? `This body has ${sizeText(bytes)}; up to ${sizeText(MAX_EDITED)} can be edited here.`
          : "The whole body could not be loaded."}{" "}
        Download it, and edit the file instead.
      </p>
      <div class="form-end">
        <Button label="Download it" class="main" onClick={() => void save()} />
      </div>
    </>
  );
}

interface EditFormProps {
  entry: EntryDetail;
  body: LoadedBody;
  onClose: () => void;
}

function EditForm({ entry, body, onClose }: EditFormProps) {
  const isText = body.form === "text";
  const draft = useDraft(entry.bodyHash, isText ? body.text : "");
  const [restamp, setRestamp] = useState(true);
  const { result, isBusy, run } = useOutcome();
  const send = () =>
    run(async () => {
      const sent = await client.send(draft.text, restamp);
      const message = sentMessage(sent);
      if (!sent.ok) return message;
      draft.finish();
      onClose();
      showSent(sent, entry.seq);
      showMessage(message);
      return undefined;
    });
  return (
    <form onSubmit={submitting(send)}>
      {!isText && <p class="warning">The body is not text; enter a new one.</p>}
      {draft.isOffered && draft.isChanged && (
        <p class="quiet">This is your draft, kept for this tab.</p>
      )}
      {!draft.isKept && <p class="warning">The browser has no room to keep this draft.</p>}
      <JsonEditor label="Body" value={draft.text} onChange={draft.setText} />
      <Outcome result={result} />
      <div class="form-end">
        <label>
          <input
            type="checkbox"
            checked={restamp}
            onChange={(event) => setRestamp(event.currentTarget.checked)}
          />
          Set timestamp to now
        </label>
        {draft.isChanged && <Button label="Discard the draft" onClick={draft.reset} />}
        <Button
          label="Indent"
          onClick={() => draft.setText(comparableLines(draft.text).join("\n"))}
        />
        <SendButton label={isBusy ? "Sending" : "Sign and send"} isBusy={isBusy} />
      </div>
    </form>
  );
}
