import { createHash } from "node:crypto";
import { HookporterError } from "../../base/errors.ts";
import { digestOf, type Transfer, type WholeEntry } from "./transfer.ts";

export interface CopyTerms {
  /** Calls back as entries are copied, or compared. */
  readonly onProgress?: (progress: CopyProgress) => void;
  /** Stops after the current step. What was copied stays, and the next copy goes on from there. */
  readonly signal?: AbortSignal;
}

export interface CopyProgress {
  readonly step: "copy" | "verify" | "salvage";
  readonly entries: number;
  readonly total: number;
}

export interface Copied {
  readonly entries: number;
  /** How many of them were there before, from a copy that was interrupted. */
  readonly before: number;
  /** SHA-256 over all entries, hex: the same in both inboxes. */
  readonly digest: string;
}

/** Entries per step, each a transaction. */
const STEP = 500;

/**
 * Copies every entry of an inbox as it is, with its number, into one that is empty or holds the
 * beginning of such a copy; then reads both again and compares them. Resolves to `undefined` if it
 * was stopped.
 *
 * @throws HookporterError `usage` if the other inbox holds something else, `inbox_busy` if one of
 * the two has changed meanwhile
 */
export async function copyInbox(from: Transfer, to: Transfer, terms: CopyTerms = {}) {
  const { onProgress = () => {}, signal } = terms;
  const last = await from.last();
  const [extra] = await to.read({ after: last, limit: 1 });
  if (extra !== undefined) throw notACopy(extra);
  // a wrong inbox stays as it is
  missing(await from.read({ after: 0, limit: 1 }), await to.read({ after: 0, limit: 1 }));
  // Before the others, so that an event that was pruned is not taken for new even if the copy is
  // used before it is whole.
  await to.markPruned(await from.pruned());
  const total = await from.count();
  let before = 0;
  let entries = 0;
  for await (const { read, found } of eachStep(from, to, last)) {
    if (signal?.aborted === true) return undefined;
    const absent = missing(read, found);
    if (absent.length > 0) await to.write(absent);
    before += found.length;
    entries += read.length;
    onProgress({ step: "copy", entries, total });
  }
  const digest = await verify(from, to, last, total, terms);
  return digest === undefined ? undefined : { entries, before, digest };
}

/** The entries that are not there yet. Those that are must be the same. */
function missing(read: readonly WholeEntry[], found: readonly WholeEntry[]): readonly WholeEntry[] {
  const originals = new Map(read.map((entry) => [entry.entry.seq, entry]));
  for (const entry of found) {
    const original = originals.get(entry.entry.seq);
    if (original === undefined || digestOf(original) !== digestOf(entry)) throw notACopy(entry);
    originals.delete(entry.entry.seq);
  }
  return [...originals.values()];
}

/** Reads both inboxes in order of arrival, the same range of numbers in each. */
async function* eachStep(from: Transfer, to: Transfer, last: number) {
  for (let after = 0; ; ) {
    const read = await from.read({ after, last, limit: STEP });
    const end = read.at(-1)?.entry.seq;
    if (end === undefined) return;
    const found = await to.read({ after, last: end, limit: STEP + 1 });
    yield { read, found };
    after = end;
  }
}

async function verify(from: Transfer, to: Transfer, last: number, total: number, terms: CopyTerms) {
  const original = createHash("sha256");
  const copy = createHash("sha256");
  let entries = 0;
  for await (const { read, found } of eachStep(from, to, last)) {
    if (terms.signal?.aborted === true) return undefined;
    for (const entry of read) original.update(digestOf(entry));
    for (const entry of found) copy.update(digestOf(entry));
    entries += read.length;
    terms.onProgress?.({ step: "verify", entries, total });
  }
  const digest = original.digest("hex");
  const counts = [await from.count(), await to.count()];
  if (digest === copy.digest("hex") && counts.every((count) => count === entries)) return digest;
  throw new HookporterError(
    "inbox_busy",
    `expected both inboxes to hold the same ${total} entries after the copy, got ${counts.join(" and ")} or others: ` +
      "stop all processes that use them, and copy again",
  );
}

function notACopy({ entry }: WholeEntry): HookporterError {
  return new HookporterError(
    "usage",
    `expected the inbox to copy into to be empty, or to hold the beginning of this copy, got entry ${entry.seq}, which differs: ` +
      "name a new file or schema",
  );
}
