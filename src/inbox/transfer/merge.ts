import { ConfigurationError } from "../../base/errors.ts";
import { ownCommand } from "../../base/package/own-command.ts";
import type { CopyTerms } from "./copy.ts";
import type { Merged, Transfer } from "./transfer.ts";

/** Entries per step, each a transaction. */
const STEP = 500;

export interface MergeReport extends Merged {
  readonly entries: number;
}

/**
 * Adds the entries of an inbox to another one, in their order. Of an entry that both have, by its
 * dedup key, the further state is kept: handled before dead, received, failing and waiting.
 * Resolves to `undefined` if it was stopped; it can be repeated then.
 *
 * @throws ConfigurationError `inbox_unsupported` if the other inbox is not a file
 */
export async function mergeInbox(from: Transfer, into: Transfer, terms: CopyTerms = {}) {
  const { onProgress, signal } = terms;
  const total = await from.count();
  const report = { entries: 0, added: 0, advanced: 0 };
  for (let after = 0; ; ) {
    if (signal?.aborted === true) return undefined;
    const read = await from.read({ after, limit: STEP });
    const last = read.at(-1)?.entry.seq;
    if (last === undefined) break;
    const merged = await into.merge?.(read);
    if (merged === undefined) {
      throw new ConfigurationError(
        "inbox_unsupported",
        `expected a file to merge into, got a database: start a receiver on the file, and hand its events on: ${ownCommand("replay --exact")}`,
      );
    }
    report.entries += read.length;
    report.added += merged.added;
    report.advanced += merged.advanced;
    after = last;
    onProgress?.({ step: "copy", entries: report.entries, total });
  }
  // Last: what was pruned there is not new here either, but what waits was acknowledged and must be
  // added first.
  await into.markPruned(await from.pruned());
  return report;
}
