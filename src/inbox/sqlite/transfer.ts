import type { Entry } from "../entry.ts";
import { progressOf, stateBeforeRun } from "../entry-state.ts";
import { splitRuns } from "../inline-runs.ts";
import { decodeText, encodeText, entryColumns, toEntry } from "../rows.ts";
import {
  oneRead,
  type PrunedMark,
  type Transfer,
  type TransferRange,
  type WholeEntry,
} from "../transfer/transfer.ts";
import { inboxError, isFaultOfRow } from "./errors.ts";
import { openFile } from "./file/inbox-file.ts";
import { recordRuns } from "./operations.ts";
import { livingRunners } from "./processes/runner-lock.ts";
import { MARK_PRUNED } from "./prune.ts";
import { attemptsOfEntry, deliveryOfEntry } from "./reads.ts";
import { Statements } from "./statements.ts";

/**
 * Opens an inbox file to copy it (`read`), or to copy into it (`own`), which makes it if there is
 * none.
 */
export async function openFileTransfer(given: string, access: "read" | "own"): Promise<Transfer> {
  const guard = async <Result>(work: () => Result): Promise<Result> => {
    try {
      return work();
    } catch (thrown) {
      throw inboxError(given, thrown);
    }
  };
  const { path, database } = await guard(() => openFile(given, access));
  const statements = new Statements(database);
  const inTransaction = <Result>(work: () => Result) => guard(() => statements.transaction(work));
  const number = (sql: string) => Number(statements.get(sql)?.n ?? 0);
  return {
    runners: () => guard(() => livingRunners(path).length),
    last: () => guard(() => number("SELECT max(seq) AS n FROM entry")),
    count: () => guard(() => number("SELECT count(*) AS n FROM entry")),
    read: (range) => guard(() => read(statements, range)),
    write: (entries) =>
      inTransaction(() => {
        for (const entry of entries) write(statements, entry);
      }),
    isFaultOfRow,
    merge: (entries) =>
      inTransaction(() => {
        const marks = new Map(prunedMarks(statements).map(({ source, until }) => [source, until]));
        const found = entries.map((entry) => merge(statements, entry, marks));
        const how = (wanted: string) => found.filter((outcome) => outcome === wanted).length;
        return { added: how("added"), advanced: how("advanced") };
      }),
    pruned: () => guard(() => prunedMarks(statements)),
    markPruned: (marks) =>
      inTransaction(() => {
        for (const { source, until } of marks)
          statements.run(MARK_PRUNED, encodeText(source), until);
      }),
    close: () =>
      guard(() => {
        // so that a copy of the file is complete
        if (access === "own") statements.exec("PRAGMA wal_checkpoint(TRUNCATE)");
        statements.close();
      }),
  };
}

function read(
  statements: Statements,
  { after, last, limit }: TransferRange,
): readonly WholeEntry[] {
  const found = statements.all(
    "SELECT seq, body_length FROM entry WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
    after,
    last ?? Number.MAX_SAFE_INTEGER,
    limit,
  );
  const seqs = oneRead(
    found.map((row) => ({ seq: row.seq as number, length: row.body_length as number })),
  );
  const sql = "SELECT * FROM entry WHERE seq BETWEEN ? AND ? ORDER BY seq";
  return statements.all(sql, seqs[0] ?? 0, seqs.at(-1) ?? -1).map((row) => {
    const entry = toEntry(row);
    return {
      entry,
      // What has ended keeps its last lease, so that its settlement can be repeated; there is none
      // in a copy.
      lease: entry.state === "running" ? (row.lease as string) : null,
      delivery: deliveryOfEntry(statements, entry.seq),
      runs: attemptsOfEntry(statements, entry.seq),
    };
  });
}

function write(statements: Statements, { entry, lease, delivery, runs }: WholeEntry): void {
  const { seq } = entry;
  const { finished, others } = splitRuns(entry, runs);
  statements.insertRow("entry", { ...entryColumns(entry), lease, finished_handlers: finished });
  if (delivery !== undefined) {
    const { method, target, headers, body } = delivery;
    statements.insertRow("delivery", {
      seq,
      method,
      target,
      headers: JSON.stringify(headers),
      body,
    });
  }
  recordRuns(statements, { seq, records: others });
}

function merge(statements: Statements, whole: WholeEntry, marks: ReadonlyMap<string, number>) {
  const { key, state, attempts, reason, receivedAt, eventTimestamp } = whole.entry;
  // The lease of a running one belongs to a process that has ended.
  const entry: Entry =
    state === "running"
      ? { ...whole.entry, state: stateBeforeRun(attempts, reason), runAt: receivedAt }
      : whole.entry;
  const found = statements.get(
    "SELECT seq, state, attempts, duplicates, last_seen_at FROM entry WHERE key_timestamp = ? AND event_id = ? AND source = ?",
    key.timestamp,
    encodeText(key.eventId),
    encodeText(key.source),
  );
  if (found === undefined) {
    // A person decides about dead letters, so they are kept in any case, as by `append`.
    const prunedUntil =
      state === "dead" || entry.settledAt === null ? undefined : marks.get(key.source);
    if (prunedUntil !== undefined && (eventTimestamp ?? receivedAt) <= prunedUntil) return "known";
    const seq = Number(statements.get("SELECT max(seq) AS n FROM entry")?.n ?? 0) + 1;
    write(statements, { ...whole, lease: null, entry: { ...entry, seq } });
    return "added";
  }
  const seq = found.seq as number;
  const ours = { state: found.state as Entry["state"], attempts: found.attempts as number };
  if (progressOf(entry) <= progressOf(ours)) return "known";
  for (const table of ["entry", "delivery", "attempt"])
    statements.run(`DELETE FROM ${table} WHERE seq = ?`, seq);
  const duplicates = Math.max(entry.duplicates, found.duplicates as number);
  const lastSeenAt = Math.max(entry.lastSeenAt, found.last_seen_at as number);
  write(statements, { ...whole, lease: null, entry: { ...entry, seq, duplicates, lastSeenAt } });
  return "advanced";
}

/** The dates up to which events were pruned. */
export function prunedMarks(statements: Statements): readonly PrunedMark[] {
  const rows = statements.all("SELECT source, dated_until FROM pruned");
  return rows.map(({ source, dated_until: until }) => ({
    source: decodeText(source as string),
    until: until as number,
  }));
}
