import { client } from "../client.ts";
import { CloseButton, Dialog } from "../parts/dialog.tsx";
import { Outcome, SendButton, submitting, useOutcome } from "../parts/outcome.tsx";

interface CredentialsDialogProps {
  seq: number;
  what: "curl" | "fixture";
  hidden: readonly string[];
  onClose: () => void;
}

/**
 * Asks before a delivery is copied or saved with the headers whose values the page does not show.
 */
export function CredentialsDialog({ seq, what, hidden, onClose }: CredentialsDialogProps) {
  const { result, isBusy, run } = useOutcome();
  const isCopy = what === "curl";
  const act = () =>
    run(async () => {
      const query = "?credentials=include";
      if (isCopy) await navigator.clipboard.writeText(await client.curl(seq, query));
      else await client.save(`/api/entries/${seq}/fixture${query}`);
      return {
        good: true,
        text: isCopy ? "Copied, with credentials." : "Saved, with credentials.",
      };
    });
  return (
    <Dialog title={isCopy ? "Copy with credentials?" : "Save with credentials?"} onClose={onClose}>
      <form onSubmit={submitting(act)}>
        <p>
          {isCopy ? "The command" : "The file"} would contain the values of{" "}
          <strong>{hidden.join(", ")}</strong>. Anyone who gets it can use them: do not paste it
          into a chat or a ticket, and do not commit it.
        </p>
        <Outcome result={result} />
        <div class="form-end">
          <CloseButton label={result?.good === true ? "Close" : "Cancel"} />
          {result?.good !== true && (
            <SendButton
              label={isCopy ? "Copy with credentials" : "Save with credentials"}
              isBusy={isBusy}
            />
          )}
        </div>
      </form>
    </Dialog>
  );
}
