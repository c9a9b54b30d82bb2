import { HookporterError } from "../../base/errors.ts";
import { realPath } from "../../base/system/paths.ts";
import { counted } from "../../base/text/counted.ts";
import { tryOr } from "../../base/try-or.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import { type Copied, type CopyProgress, copyInbox } from "../../inbox/transfer/copy.ts";
import { type MergeReport, mergeInbox } from "../../inbox/transfer/merge.ts";
import { openTransfer } from "../../inbox/transfer/open.ts";
import type { Transfer } from "../../inbox/transfer/transfer.ts";
import type { CliContext } from "../context.ts";
import { withInbox } from "../events/inbox.ts";
import { sayPauses } from "../events/pause.ts";
import { usageError } from "../input-errors.ts";
import { stopRunOnSignal } from "../send/interrupt.ts";
import { progressLine } from "../send/progress.ts";
import { type NamedInbox, nameInbox } from "./named-inbox.ts";
import { damagedFile, type Names, salvageInbox } from "./salvage.ts";

export interface CopyOptions {
  readonly inbox?: string;
  readonly force?: boolean;
  readonly salvage?: boolean;
  readonly into?: string;
}

/** Milliseconds between two records of progress. */
const INTERVAL = 1000;

export async function copyInboxes(
  given: string,
  target: string | undefined,
  options: CopyOptions,
  context: CliContext,
): Promise<void> {
  const { output } = context;
  const from = nameInbox(context, given);
  if (options.into !== undefined && (target !== undefined || options.salvage === true))
    throw usageError(
      "expected either a new inbox to copy to, or --into and the inbox to add the entries to, got both: name one",
    );
  const named = target ?? options.into ?? options.inbox;
  if (named === undefined)
    throw usageError(
      "expected an inbox to copy to, got none: name one after the first, or set HOOKPORTER_INBOX",
    );
  const to = nameInbox(context, named);
  const [first, second] = [from, to].map(({ option }) => tryOr(() => realPath(option), option));
  if (first === second)
    throw usageError("expected two inboxes, got the same one twice: name another one");
  const damaged = options.salvage === true ? damagedFile(from) : undefined;
  const again =
    damaged === undefined ? "run it again to go on" : `remove ${to.shown} before you run it again`;
  const abort = new AbortController();
  const ending = stopRunOnSignal(context, {
    stop: () => abort.abort(),
    cut: () => {}, // a step is a transaction, and short
    onEnd: ({ reason }) => output.talk(`${reason}: ${again}`),
  });
  const opened: Transfer[] = [];
  try {
    const source =
      damaged === undefined ? await openUnused(from, "read", opened, options) : undefined;
    const copy = await openUnused(to, "own", opened, options);
    const terms = { onProgress: reporter(context), signal: abort.signal };
    const names = { from: from.shown, to: to.shown };
    const done =
      source === undefined
        ? await salvageInbox(
            copy,
            { from: damaged ?? from.shown, to: to.shown },
            { ...terms, context },
          )
        : options.into === undefined
          ? report(await copyInbox(source, copy, terms), (copied) =>
              printCopied(copied, names, context),
            )
          : report(await mergeInbox(source, copy, terms), (merged) =>
              printMerged(merged, names, context),
            );
    const print = (inbox: Inbox) => sayPauses(inbox, output, context.clock(), "not copied: ");
    if (done && source !== undefined)
      await withInbox(context, { inbox: given, access: "read" }, print);
    if (done) return;
    context.exitCode = ending.reason?.exitCode ?? 130;
    output.talk(`${ending.reason?.reason ?? "stopped"}: ${again}`);
  } finally {
    output.status(undefined);
    ending.done();
    for (const transfer of opened.reverse()) await transfer.close();
  }
}

/** Prints a result; returns `false` if there is none, since it was stopped. */
function report<Result>(result: Result | undefined, print: (result: Result) => void): boolean {
  if (result !== undefined) print(result);
  return result !== undefined;
}

function printCopied(
  { entries, before, digest }: Copied,
  names: Names,
  { output }: CliContext,
): void {
  output.status(undefined);
  const earlier = before === 0 ? "" : `, ${before} of them before`;
  output.data(
    `${counted(entries, "entry", "entries")} copied${earlier} and compared: SHA-256 ${digest}`,
  );
  output.record("copied", { ...names, entries, before, digest });
}

function printMerged(
  { entries, added, advanced }: MergeReport,
  names: Names,
  { output }: CliContext,
): void {
  output.status(undefined);
  const known = entries - added - advanced;
  output.data(
    `${counted(entries, "entry", "entries")} merged into ${names.to}: ${added} added, ${advanced} with a further state, ${known} known already`,
  );
  output.talk(
    `${names.to} has every entry of ${names.from}: delete that inbox once you have looked at the result`,
  );
  output.record("merged", { ...names, entries, added, advanced, known });
}

/** A line at the bottom of a terminal, or a record from time to time. */
function reporter({ output, io }: CliContext): (progress: CopyProgress) => void {
  let reported = Number.NEGATIVE_INFINITY;
  return ({ step, entries, total }) => {
    const words = { copy: " copied", verify: " compared", salvage: " salvaged" }[step];
    output.status(progressLine(entries, Math.max(1, total), io, words));
    if (performance.now() - reported < INTERVAL && entries < total) return;
    reported = performance.now();
    output.record("progress", { step, entries, total });
  };
}

/** Opens an inbox that no process has in use. */
async function openUnused(
  { option, shown }: NamedInbox,
  access: "read" | "own",
  opened: Transfer[],
  { force = false }: { readonly force?: boolean },
): Promise<Transfer> {
  const transfer = await openTransfer(option, access);
  opened.push(transfer);
  const runners = force ? 0 : await transfer.runners();
  if (runners === 0) return transfer;
  throw new HookporterError(
    "inbox_busy",
    `expected no process to use ${shown}, got ${runners}: changes that they make meanwhile would not be copied; stop them, ` +
      "or pass --force if they were killed",
  );
}
