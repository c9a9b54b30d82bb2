import { ConfigurationError, HookporterError } from "../../errors.ts";
import { findInboxFile } from "../../inbox/sqlite/file/inbox-file.ts";
import { holderText, livingHolders } from "../../inbox/sqlite/processes/holders.ts";
import { type Salvaged, salvageFile } from "../../inbox/sqlite/salvage/salvage.ts";
import { openTransfer } from "../../inbox/transfer/open.ts";
import { DEFAULT_SOURCE } from "../../receiver/options/options.ts";
import type { CliContext } from "../context.ts";
import { stopRunOnSignal } from "../send/interrupt.ts";
import { progressLine } from "../send/progress.ts";
import type { NamedInbox } from "./named-inbox.ts";

/** `inbox copy --salvage`: from a damaged file into a new inbox. */
export async function salvageInbox(from: NamedInbox, to: NamedInbox, context: CliContext): Promise<void> {
  const path = damagedFile(from);
  const { output, io } = context;
  const abort = new AbortController();
  const ending = stopRunOnSignal(context, {
    stop: () => abort.abort(),
    cut: () => {},
    onEnd: ({ reason }) => output.talk(`${reason}: remove ${to.shown} before you run it again`),
  });
  const copy = await openTransfer(to.option, "own");
  try {
    if ((await copy.last()) > 0) {
      throw new HookporterError(
        "usage",
        `expected ${to.shown} to be empty, got entries: name a new file or schema`,
      );
    }
    const { columns } = io.stderr as { readonly columns?: number };
    const salvaged = await salvageFile(path, copy, {
      source: DEFAULT_SOURCE,
      signal: abort.signal,
      onProgress: (seq, last) =>
        void output.status(`${progressLine(seq, Math.max(1, last), (columns || 80) - 9)} salvaged`),
    });
    output.status(undefined);
    if (salvaged === undefined) context.exitCode = ending.reason?.exitCode ?? 130;
    else report(salvaged, { from: path, to: to.shown }, context);
  } finally {
    output.status(undefined);
    ending.done();
    await copy.close();
  }
}

function report(salvaged: Salvaged, names: { from: string; to: string }, { output }: CliContext): void {
  const { repairs, entries, rebuilt, withoutDelivery, lost } = salvaged;
  for (const repair of repairs) output.talk(`${names.from}: ${repair}`);
  output.data(`${entries} entries salvaged`);
  if (rebuilt.length > 0) {
    output.data(
      `${rebuilt.length} of them were rebuilt from their delivery, and run again: ${listed(rebuilt)}`,
    );
  }
  if (withoutDelivery.length > 0) {
    output.data(
      `${withoutDelivery.length} of them have lost their delivery, and cannot run: ${listed(withoutDelivery)}`,
    );
  }
  const ranges = lost.map(([a, b]) => (a === b ? `#${a}` : `#${a} to #${b}`));
  if (lost.length > 0)
    output.data(`nothing could be read of ${ranges.join(", ")}; what was pruned is among them`);
  output.record("salvaged", { ...names, entries, rebuilt, withoutDelivery, lost, repairs });
}

/** Numbers of entries, the first of many. */
function listed(seqs: readonly number[]): string {
  const shown = seqs.slice(0, 20).map((seq) => `#${seq}`);
  return `${shown.join(", ")}${seqs.length > shown.length ? ", …" : ""}`;
}

function damagedFile({ file, shown }: NamedInbox): string {
  if (file === undefined) {
    throw new ConfigurationError(
      "inbox_unsupported",
      `expected a damaged inbox file to salvage, got ${shown}: name a file`,
    );
  }
  const path = findInboxFile(file);
  const [holder] = livingHolders(path);
  if (holder === undefined) return path;
  throw new HookporterError(
    "inbox_busy",
    `expected no process to use ${path}, got ${holderText(holder)}: stop it first`,
  );
}
