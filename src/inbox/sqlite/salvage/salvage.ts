import { grouped } from "../../../base/grouped.ts";
import { isBytes } from "../../../base/guards.ts";
import { hash } from "../../../base/package/builtins.ts";
import { tryOr } from "../../../base/try-or.ts";
import type { Delivery } from "../../../event/delivery.ts";
import { type DedupKey, rejectedKey } from "../../../event/identity.ts";
import { readEnvelope } from "../../../event/read-envelope.ts";
import type { Entry } from "../../entry.ts";
import { STATE_WORDS } from "../../entry-state.ts";
import { inlineRuns } from "../../inline-runs.ts";
import { storedKind } from "../../new-entry.ts";
import { type Row, toAttempt, toEntry } from "../../rows.ts";
import type { CopyTerms } from "../../transfer/copy.ts";
import type { Transfer, WholeEntry } from "../../transfer/transfer.ts";
import { toDelivery } from "../read-claimed.ts";
import { Statements } from "../statements.ts";
import { prunedMarks } from "../transfer.ts";
import { indexedNumbers, keyFinder } from "./key-index.ts";
import { joined, type Range, readableRows, STEP } from "./readable-rows.ts";
import { openWorkingCopy } from "./working-copy.ts";
import { writeFitting } from "./write-fitting.ts";

export interface Salvaged {
  /** What had to be put right before anything could be read, in words. */
  readonly repairs: readonly string[];
  /** All entries that are in the new inbox. */
  readonly entries: number;
  /** Those of which only the delivery was left. They run again. */
  readonly rebuilt: readonly number[];
  /** Those of which the delivery is lost; they end as dead letters if they were not handled yet. */
  readonly withoutDelivery: readonly number[];
  /** Numbers of which nothing could be read. Entries that had been pruned are among them. */
  readonly lost: readonly Range[];
}

export interface SalvageTerms extends CopyTerms {
  /**
   * The source of entries of which only the delivery is left, if those that are left have several.
   */
  readonly source: string;
}

/**
 * Copies what can be read of a damaged file, which no process may have open, into an empty inbox;
 * else `inbox_corrupt`.
 */
export async function salvageFile(
  path: string,
  to: Transfer,
  { source, onProgress = () => {}, signal }: SalvageTerms,
): Promise<Salvaged | undefined> {
  const copy = openWorkingCopy(path);
  try {
    const statements = new Statements(copy.database);
    const marks = tryOr(() => prunedMarks(statements), []);
    // Without damaged ones: one of the future would make every new event a pruned one.
    await to.markPruned(
      marks.filter(({ until }) => Number.isSafeInteger(until) && until < Date.now()),
    );
    const found = nothingFound();
    const keyOf = keyFinder(statements);
    const indexed = indexedNumbers(statements);
    const last = Math.max(copy.last, indexed.at(-1) ?? 0);
    let known = 0;
    for (let from = 1; from <= last; from += STEP) {
      if (signal?.aborted === true) return undefined;
      while ((indexed[known] ?? last) < from) known++;
      from = Math.min(indexed[known] ?? last, nextRow(statements, from));
      const range: Range = [from, Math.min(last, from + STEP - 1)];
      const inIndex = indexed.subarray(known, known + STEP);
      const whole = readStep(statements, range, { inIndex, keyOf, source, found });
      const refused = await writeFitting(to, whole);
      found.entries += whole.length - refused.length;
      for (const seq of refused) found.refused.add(seq);
      onProgress({ step: "salvage", entries: range[1], total: last });
    }
    return { ...reportOf(found), repairs: copy.repairs };
  } finally {
    copy.close();
  }
}

function nothingFound() {
  return {
    entries: 0,
    rebuilt: [] as number[],
    withoutDelivery: [] as number[],
    lost: [] as Range[],
    /** Numbers of entries that the new inbox did not take. */
    refused: new Set<number>(),
  };
}

function reportOf({
  entries,
  rebuilt,
  withoutDelivery,
  lost,
  refused,
}: ReturnType<typeof nothingFound>) {
  const isLeft = (seq: number) => !refused.has(seq);
  return {
    entries,
    rebuilt: rebuilt.filter(isLeft),
    withoutDelivery: withoutDelivery.filter(isLeft),
    lost: joined([...lost, ...[...refused].map((seq): Range => [seq, seq])]),
  };
}

interface Reading {
  /**
   * The next numbers in the index of keys. A damaged page may lack their rows, without an error.
   */
  readonly inIndex: Float64Array;
  readonly keyOf: ReturnType<typeof keyFinder>;
  readonly source: string;
  readonly found: ReturnType<typeof nothingFound>;
}

function readStep(
  statements: Statements,
  range: Range,
  { inIndex, keyOf, source, found }: Reading,
) {
  const lost: number[] = [];
  const read = (sql: string, onLost?: (seq: number) => void) =>
    readableRows((part) => statements.all(sql, ...part), range, onLost);
  const stored = read(rowsOf("entry"), (seq) => lost.push(seq));
  // A page that is damaged in part may have rows of numbers that came before.
  const rows = stored.filter(({ seq }) => Number(seq) >= range[0]);
  const deliveries = new Map(read(rowsOf("delivery")).map((row) => [Number(row.seq), row]));
  const attempts = read("SELECT * FROM attempt WHERE seq BETWEEN ? AND ? ORDER BY rowid");
  const runs = grouped(attempts, ({ seq }) => Number(seq));
  const whole = new Map<number, WholeEntry>();
  for (const row of rows) {
    const entry = tryOr(() => plausible(row), undefined);
    if (entry === undefined) {
      lost.push(Number(row.seq));
      continue;
    }
    const delivery = deliveryOf(deliveries.get(entry.seq), entry.receivedAt);
    if (delivery === undefined && entry.state !== "handled") found.withoutDelivery.push(entry.seq);
    const attempts = (runs.get(entry.seq) ?? []).flatMap((run) => tryOr(() => toAttempt(run), []));
    attempts.push(...inlineRuns(row.finished_handlers));
    const lease = entry.state === "running" ? (row.lease as string | null) : null;
    whole.set(entry.seq, { entry, lease, delivery, runs: attempts });
  }
  const missing = new Set([...lost, ...deliveries.keys(), ...inIndex]);
  for (const part of [...missing].sort((x, y) => x - y)) {
    if (whole.has(part) || part < range[0] || part > range[1]) continue;
    const delivery = deliveryOf(deliveries.get(part), Date.now());
    const entry = delivery && rebuildEntry(part, delivery, keyOf(part, source));
    if (entry === undefined) {
      found.lost.push([part, part]);
      continue;
    }
    found.rebuilt.push(part);
    whole.set(part, { entry, lease: null, delivery, runs: [] });
  }
  // those that are whole first, as one that is rebuilt may have the key of another
  return [...whole.values()];
}

/** Reads a range of numbers, and no further: the page after the last of them may be damaged. */
function rowsOf(table: "entry" | "delivery"): string {
  return `SELECT * FROM ${table} WHERE seq BETWEEN ?1 AND ?2 ORDER BY seq LIMIT ?2 - ?1 + 1`;
}

/**
 * The first number from one on that has a row, if it can be one; the number itself, if a damaged
 * page hides that.
 */
function nextRow(statements: Statements, from: number): number {
  const rows = ["entry", "delivery"].map(
    (table) =>
      `SELECT seq FROM ${table} WHERE seq BETWEEN ? AND ${Number.MAX_SAFE_INTEGER} ORDER BY seq LIMIT 1`,
  );
  const next = (sql: string) => Number(statements.get(sql, from)?.seq ?? Number.POSITIVE_INFINITY);
  return tryOr(() => Math.max(from, Math.min(...rows.map(next))), from);
}

/** An entry whose fields could have been written: bytes of another page may look like a row. */
function plausible(row: Row): Entry | undefined {
  const { seq, key_timestamp: timestamp, received_at: receivedAt, run_at: runAt, attempts } = row;
  const entry = toEntry(row);
  const isWhole =
    [seq, timestamp, receivedAt, runAt, attempts].every(Number.isSafeInteger) &&
    STATE_WORDS.includes(entry.state) &&
    /^[0-9a-f]{64}$/.test(entry.bodyHash);
  return isWhole ? entry : undefined;
}

/** A delivery whose bytes are left. Claims compare them with the digest that the entry has. */
function deliveryOf(row: Row | undefined, receivedAt: number): Delivery | undefined {
  if (row === undefined || !isBytes(row.body)) return undefined;
  // no JSON, or not the type of the column
  return tryOr(() => toDelivery({ ...row, received_at: receivedAt }), undefined);
}

/**
 * An entry of which only the delivery is left, as it was when it was received. It runs again, since
 * nobody knows whether it did; a delivery that is no event is a dead letter again.
 *
 * @param key - its dedup key if that is known from an index; otherwise it is derived, without the
 * receiver's own `identity`
 */
export function rebuildEntry(
  seq: number,
  delivery: Delivery,
  { key, source }: { readonly key: DedupKey | undefined; readonly source: string },
): Entry {
  const read = readEnvelope(delivery.body);
  const { receivedAt } = delivery;
  const own = read.ok
    ? {
        key: key ?? { source, eventId: read.eventId, timestamp: read.timestamp },
        kind: storedKind(read.envelope.event),
        eventTimestamp: read.timestamp,
        state: "waiting" as const,
        reason: null,
        settledAt: null,
      }
    : {
        key: key ?? rejectedKey(source, delivery.body),
        kind: null,
        eventTimestamp: null,
        state: "dead" as const,
        reason: read.rejection.reason,
        settledAt: receivedAt,
      };
  return {
    ...own,
    seq,
    problems: [],
    orderKey: null,
    receivedAt,
    runAt: receivedAt,
    attempts: 0,
    duplicates: 0,
    lastSeenAt: receivedAt,
    finishedHandlers: [],
    waits: [],
    bodyHash: hash("sha256", delivery.body, "hex"),
    bodyLength: delivery.body.byteLength,
  };
}
