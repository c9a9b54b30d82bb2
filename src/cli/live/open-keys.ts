import type { Inbox } from "../../inbox/inbox.ts";
import type { Secret } from "../../signature/secrets.ts";
import { SIGNATURE_HEADER } from "../../signature/signature-format.ts";
import type { CliContext } from "../context.ts";
import type { Goal } from "../end/goal.ts";
import type { Stop } from "../end/stop.ts";
import { LiveEntryActions } from "./entry-actions.ts";
import { listenForKeys } from "./keys.ts";
import { openInBrowser, writeLeadingFile } from "./open-in-browser.ts";
import type { RecentEntries } from "./recent-entries.ts";
import type { StatusBar } from "./status-bar.ts";

interface KeyTerms {
  readonly bar: StatusBar;
  readonly recent: RecentEntries;
  readonly page: URL | undefined;
  readonly goal: Goal | undefined;
  readonly inbox: Inbox;
  readonly target: URL;
  readonly secret: Secret | undefined;
  readonly signatureHeader: string | undefined;
}

/** Sets up the keys of the live view; returns a stop function. `q` stops as Ctrl-C does. */
export function openKeys(
  terms: KeyTerms,
  { secretStdin }: { readonly secretStdin?: boolean },
  context: CliContext,
  stop: (stop: Stop) => void,
): () => void {
  const { bar, recent, page, goal, inbox, target, secret } = terms;
  const { signatureHeader = SIGNATURE_HEADER } = terms;
  if (secretStdin === true || secret === undefined) return () => {};
  const files: (() => void)[] = [];
  const openAt = async (page: URL, seq: number | undefined) => {
    const address = new URL(page);
    if (seq !== undefined) address.hash += `/entry/${seq}`;
    const { path, remove } = writeLeadingFile(address);
    files.push(remove);
    await openInBrowser(path, context.io.env);
  };
  const entries = new LiveEntryActions({ inbox, target, secret, signatureHeader, clock: context.clock });
  const close = listenForKeys(
    {
      ...{ bar, recent, entries },
      addresses: [target.href, ...(page === undefined ? [] : [page.href])],
      openPage: page && ((seq) => openAt(page, seq)),
      quit: () => stop({ reason: "stopped by q", exitCode: goal === undefined ? 0 : 130 }),
    },
    context,
  );
  return () => {
    for (const remove of files) remove();
    close();
  };
}
