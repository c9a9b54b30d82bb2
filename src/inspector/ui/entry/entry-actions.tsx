import { useState } from "preact/hooks";
import type { EntryDetail } from "../../api.ts";
import { client } from "../client.ts";
import { useAttempt } from "../messages.tsx";
import { Button } from "../parts/button.tsx";
import { visible } from "../parts/format.ts";
import { Menu, type MenuItem } from "../parts/menu.tsx";
import { sendAgain } from "../trigger/show-sent.ts";
import { CredentialsDialog } from "./credentials-dialog.tsx";
import { EditDialog } from "./edit-dialog.tsx";
import { ForwardDialog } from "./forward-dialog.tsx";

interface EntryActionsProps {
  entry: EntryDetail;
  forwards: readonly string[];
  onChanged: () => void;
}

/** The actions for an entry. `onChanged` is called when the entry itself may have changed. */
export function EntryActions({ entry, forwards, onChanged }: EntryActionsProps) {
  const [dialog, setDialog] = useState<Dialog>();
  const close = () => setDialog(undefined);
  const { seq, state, delivery } = entry;
  const hidden = delivery?.hidden ?? [];
  const leftOut = hidden.length === 0 ? "" : `, without ${hidden.join(", ")}`;
  const does = useDoing(entry, onChanged, leftOut);
  const gone = delivery === null;
  const unfit = entry.stillUnfit ?? [];
  const menus = menusOf(entry, does, setDialog, leftOut);
  return (
    <div class="actions" role="toolbar" aria-label="Actions">
      {hasEnded(entry) && (
        <Button
          label={unfit.length === 0 ? "Retry" : "Retry anyway"}
          class={unfit.length === 0 && state === "dead" ? "main" : ""}
          onClick={does.retry}
        />
      )}
      {(state === "waiting" || state === "failing") && (
        <Button label="Retry now" class="main" onClick={does.retry} />
      )}
      <Menu label="Send again ▾" name="Send again" items={menus.sendAgain} disabled={gone} />
      <Menu label="Copy ▾" name="Copy" items={menus.copies} />
      <Menu label="⋯" name="More actions" items={menus.more} />
      {unfit.length > 0 && <p class="warning">{unfitText(entry.problems, unfit)}</p>}
      {dialog === "edit" && <EditDialog entry={entry} onClose={close} />}
      {dialog === "forward" && <ForwardDialog seq={seq} forwards={forwards} onClose={close} />}
      {(dialog === "curl" || dialog === "fixture") && (
        <CredentialsDialog what={dialog} {...{ seq, hidden }} onClose={close} />
      )}
    </div>
  );
}

type Dialog = "edit" | "forward" | "curl" | "fixture";

function hasEnded({ state }: EntryDetail): boolean {
  return state === "dead" || state === "received";
}

function useDoing(entry: EntryDetail, onChanged: () => void, leftOut: string) {
  const { seq } = entry;
  const attempt = useAttempt();
  const replay = (exact: boolean) => attempt(() => sendAgain(seq, exact));
  const change = (act: (seq: number) => Promise<unknown>, text: string) =>
    attempt(async () => {
      await act(seq);
      onChanged();
      return { good: true, text };
    });
  const retry = () =>
    change(client.retry, hasEnded(entry) ? `#${seq} runs again.` : `#${seq} runs now.`);
  const drop = () => change(client.drop, `#${seq} was dropped; Retry runs it again.`);
  const copy = (what: string, text: () => Promise<string>, without = "") =>
    attempt(async () => {
      await navigator.clipboard.writeText(await text());
      return { good: true, text: `${what} was copied${without}.` };
    });
  const save = (what: "body" | "fixture") =>
    attempt(async () => ({
      good: true,
      text: `Saved ${await client.save(`/api/entries/${seq}/${what}`)}${what === "fixture" ? leftOut : ""}`,
    }));
  const copyCurl = () => copy("The curl command", () => client.curl(seq), leftOut);
  const copyId = () => copy("The event id", async () => entry.eventId);
  return { replay, retry, drop, copyCurl, copyId, save };
}

function menusOf(
  { state, reason, delivery }: EntryDetail,
  does: ReturnType<typeof useDoing>,
  open: (dialog: Dialog) => void,
  leftOut: string,
): Readonly<Record<"sendAgain" | "copies" | "more", readonly MenuItem[]>> {
  const gone = delivery === null;
  const withCredentials = (label: string, dialog: Dialog) =>
    leftOut === "" ? [] : [{ label: `${label} with credentials…`, onSelect: () => open(dialog) }];
  const sendAgain: readonly MenuItem[] = [
    {
      label: "Send again as new",
      hint: "with a new timestamp and signature: a new event",
      onSelect: () => does.replay(false),
    },
    {
      label: "Resend identical bytes",
      hint: "with the same signature: a duplicate",
      onSelect: () => does.replay(true),
    },
    { label: "Edit and send…", hint: "signed again", onSelect: () => open("edit") },
    {
      label: "Forward to…",
      hint: "the same bytes, to another target",
      onSelect: () => open("forward"),
    },
  ];
  const copies: readonly MenuItem[] = [
    {
      label: "Copy as curl",
      hint: `a command that sends the same bytes${leftOut}`,
      disabled: gone,
      onSelect: does.copyCurl,
    },
    ...withCredentials("Copy as curl", "curl"),
    { label: "Copy event id", onSelect: does.copyId },
  ];
  const more: readonly MenuItem[] = [
    {
      label: "Save fixture",
      hint: `a file for hookporter replay${leftOut}`,
      disabled: gone,
      onSelect: () => does.save("fixture"),
    },
    ...withCredentials("Save fixture", "fixture"),
    { label: "Download body", disabled: gone, onSelect: () => does.save("body") },
    {
      label: "Drop",
      hint: "let it go: it does not run again by itself",
      disabled: state === "handled" || reason === "dropped",
      onSelect: does.drop,
    },
  ];
  return { sendAgain, copies, more };
}

/**
 * What a retry would meet now; what does not fit for the same reason as before is said above
 * already.
 */
function unfitText(
  before: EntryDetail["problems"],
  [first, ...others]: EntryDetail["problems"],
): string {
  const isShown = before.some(
    ({ field, message }) => field === first?.field && message === first.message,
  );
  if (first === undefined || isShown) return "A retry would fail again now, for the same reason.";
  const more = others.length > 0 ? `, and ${others.length} more` : "";
  return `A retry would fail again now: ${visible(`${first.field} ${first.message}`)}${more}.`;
}
