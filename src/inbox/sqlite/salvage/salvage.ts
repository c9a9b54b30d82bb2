import { grouped } from "../../../base/grouped.ts";
import { orElse } from "../../../base/or-else.ts";
import type { Delivery } from "../../../event/delivery.ts";
import { type DedupKey, keyText, rejectedKey } from "../../../event/identity.ts";
import { readEnvelope } from "../../../event/read-envelope.ts";
import { hash } from "../../../package/builtins.ts";
import type { Entry } from "../../entry.ts";
import { STORED_STATES } from "../../entry-state.ts";
import { storedKind } from "../../new-entry.ts";
import { type Row, toAttempt, toEntry, toKey } from "../../rows.ts";
import { runsWithin } from "../../runs-within.ts";
import type { CopyTerms } from "../../transfer/copy.ts";
import { oneRead, type Transfer, type WholeEntry } from "../../transfer/transfer.ts";
import { toDelivery } from "../read-claimed.ts";
import { Statements } from "../statements.ts";
import { prunedMarks } from "../transfer.ts";
import { highestNumber, joined, type Range, readableRows, STEP, tryGet } from "./readable-rows.ts";
import { openWorkingCopy } from "./working-copy.ts";

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
  /** The source of entries of which only the delivery is left, if those that are left have several. */
  readonly source: string;
}

/** Copies what can be read of a damaged file, which no process may have open, into an empty inbox; else `inbox_corrupt`. */
export async function salvageFile(
  path: string,
  to: Transfer,
  { source, onProgress = () => {}, signal }: SalvageTerms,
): Promise<Salvaged | undefined> {
  const copy = openWorkingCopy(path);
  try {
    const statements = new Statements(copy.database);
    const last = Math.max(copy.last, highestNumber(statements));
    const hasMarks = tryGet(statements, "SELECT 1 FROM pruned") !== undefined;
    await to.markPruned(hasMarks ? orElse(() => prunedMarks(statements), []) : []);
    const found = nothingFound();
    const hasGaps = copy.repairs.length > 0;
    const keys = lostKeys(statements);
    for (let from = 1; from <= last; from += STEP) {
      if (signal?.aborted === true) return undefined;
      const range: Range = [from, Math.min(last, from + STEP - 1)];
      const whole = readStep(statements, range, { hasGaps, keys, source, found });
      for (const part of parts(whole)) await to.write(part);
      found.entries += whole.length;
      onProgress({ step: "salvage", entries: range[1], total: last });
    }
    return { ...found, repairs: copy.repairs, lost: joined(found.lost) };
  } finally {
    copy.close();
  }
}

function nothingFound() {
  return { entries: 0, rebuilt: [] as number[], withoutDelivery: [] as number[], lost: [] as Range[] };
}

interface Reading {
  /** Whether rows may be missing without an error, as a damaged page leads to none. */
  readonly hasGaps: boolean;
  readonly keys: ReturnType<typeof lostKeys>;
  readonly source: string;
  readonly found: ReturnType<typeof nothingFound>;
}

function readStep(statements: Statements, range: Range, { hasGaps, keys, source, found }: Reading) {
  const lost: Range[] = [];
  const read = (sql: string, onLost?: (range: Range) => void) =>
    readableRows((part) => statements.all(sql, ...part), range, onLost);
  const stored = read(rowsOf("entry"), (one) => lost.push(one));
  const rows = stored.filter(({ seq }) => Number(seq) >= range[0] && Number(seq) <= range[1]);
  const isOdd = rows.length < stored.length; // a page that is damaged in part may have rows of other numbers
  const deliveries = new Map(read(rowsOf("delivery")).map((row) => [Number(row.seq), row]));
  const attempts = read("SELECT * FROM attempt WHERE seq BETWEEN ? AND ? ORDER BY rowid");
  const runs = grouped(attempts, ({ seq }) => Number(seq));
  const whole = new Map<number, WholeEntry>();
  for (const row of rows) {
    const entry = orElse(() => plausible(row), undefined);
    if (entry === undefined) {
      lost.push([Number(row.seq), Number(row.seq)]);
      continue;
    }
    const delivery = deliveryOf(deliveries.get(entry.seq), entry.receivedAt);
    if (delivery === undefined && entry.state !== "done") found.withoutDelivery.push(entry.seq);
    const attempts = (runs.get(entry.seq) ?? []).flatMap((one) => orElse(() => toAttempt(one), []));
    attempts.push(...runsWithin(row.finished_handlers));
    const lease = entry.state === "running" ? (row.lease as string | null) : null;
    whole.set(entry.seq, { entry, lease, delivery, runs: attempts });
  }
  const seen = new Set([...whole.values()].map(({ entry }) => keyText(entry.key)));
  const missing = new Set([...lost.flatMap(numbersIn), ...deliveries.keys()]);
  if (isOdd || hasGaps || lost.length > 0) for (const seq of keys.numbersIn(range)) missing.add(seq);
  for (const part of [...missing].sort((x, y) => x - y)) {
    if (whole.has(part) || part < range[0] || part > range[1]) continue;
    const delivery = deliveryOf(deliveries.get(part), Date.now());
    if (delivery === undefined) {
      found.lost.push([part, part]);
      continue;
    }
    const entry = rebuildEntry(part, delivery, { key: keys.of(part), source: keys.onlySource() ?? source });
    if (seen.has(keyText(entry.key))) continue;
    found.rebuilt.push(part);
    whole.set(part, { entry, lease: null, delivery, runs: [] });
  }
  return [...whole.values()].sort((a, b) => a.entry.seq - b.entry.seq);
}

/** Reads a range of numbers, and no further: the page after the last of them may be damaged. */
function rowsOf(table: "entry" | "delivery"): string {
  return `SELECT * FROM ${table} WHERE seq BETWEEN ?1 AND ?2 ORDER BY seq LIMIT ?2 - ?1 + 1`;
}

/** Dedup keys and sources from the index of an inbox whose entries cannot all be read, looked up once. */
function lostKeys(statements: Statements) {
  let found: ReadonlyMap<number, DedupKey> | undefined;
  const all = () => {
    if (found !== undefined) return found;
    const keys = new Map<number, DedupKey>();
    try {
      const sql =
        "SELECT seq, key_timestamp, event_id, source FROM entry INDEXED BY entry_key ORDER BY key_timestamp, event_id, source";
      for (const row of statements.iterate(sql)) keys.set(Number(row.seq), toKey(row));
    } catch {
      // What the index still has was read.
    }
    found = keys;
    return keys;
  };
  return {
    of: (seq: number) => all().get(seq),
    /** The source, if all entries of the index have the same. */
    onlySource: () => {
      const sources = new Set([...all().values()].map((key) => key.source));
      return sources.size === 1 ? [...sources][0] : undefined;
    },
    numbersIn: (range: Range) => numbersIn(range).filter((seq) => all().has(seq)),
  };
}

function numbersIn([from, to]: Range): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

/** An entry whose fields could have been written: bytes of another page may look like a row. */
function plausible(row: Row): Entry | undefined {
  const { seq, key_timestamp: timestamp, received_at: receivedAt, run_at: runAt, attempts } = row;
  const entry = toEntry(row);
  const isWhole =
    [seq, timestamp, receivedAt, runAt, attempts].every(Number.isSafeInteger) &&
    STORED_STATES.includes(entry.state) &&
    /^[0-9a-f]{64}$/.test(entry.bodyHash);
  return isWhole ? entry : undefined;
}

/** A delivery whose bytes are left. Claims compare them with the digest that the entry has. */
function deliveryOf(row: Row | undefined, receivedAt: number): Delivery | undefined {
  if (row === undefined || !(row.body instanceof Uint8Array)) return undefined;
  return orElse(() => toDelivery({ ...row, received_at: receivedAt }), undefined); // no JSON, or not the type of the column
}

/** Entries in parts of some megabytes. */
function* parts(whole: readonly WholeEntry[]): Generator<readonly WholeEntry[]> {
  for (let rest = whole; rest.length > 0; ) {
    const sizes = rest.map(({ entry, delivery }) => ({
      seq: entry.seq,
      length: delivery?.body.byteLength ?? 0,
    }));
    const count = oneRead(sizes).length;
    yield rest.slice(0, count);
    rest = rest.slice(count);
  }
}

/**
 * An entry of which only the delivery is left, as it was when it was received. It runs again, since nobody knows whether it
 * did; a delivery that is no event is a dead letter again.
 *
 * @param key - its dedup key if that is known from an index; otherwise it is derived, without the receiver's own `identity`
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
        ...{ kind: storedKind(read.envelope.event), eventTimestamp: read.timestamp },
        ...{ state: "pending" as const, reason: null, settledAt: null },
      }
    : {
        key: key ?? rejectedKey(source, delivery.body),
        ...{ kind: null, eventTimestamp: null },
        ...{ state: "dead" as const, reason: read.rejection.reason, settledAt: receivedAt },
      };
  return {
    ...own,
    seq,
    ...{ problems: [], orderKey: null, receivedAt, runAt: receivedAt, attempts: 0, duplicates: 0 },
    ...{ lastSeenAt: receivedAt, finishedHandlers: [], waits: [] },
    ...{ bodyHash: hash("sha256", delivery.body, "hex"), bodyLength: delivery.body.byteLength },
  };
}
