import { tryOr } from "../../../base/try-or.ts";
import type { DedupKey } from "../../../event/identity.ts";
import { type Row, toKey } from "../../rows.ts";
import type { Statements } from "../statements.ts";

// The index of dedup keys knows of entries whose own pages are damaged.

/** The numbers of all entries in the index, sorted. */
export function indexedNumbers(statements: Statements): Float64Array {
  return Float64Array.from(readIndex(statements, "seq"), ({ seq }) => Number(seq)).sort();
}

/**
 * Finds the key of an entry; and its source, if all entries of the index have the same, else
 * another one. Reads the index when it is asked first.
 */
export function keyFinder(statements: Statements) {
  let index: ReturnType<typeof readKeys> | undefined;
  return (seq: number, other: string) => {
    index ??= readKeys(statements);
    return { key: index.keys.get(seq), source: index.source ?? other };
  };
}

function readKeys(statements: Statements) {
  const rows = Array.from(readIndex(statements, "seq, key_timestamp, event_id, source"));
  const keyed = (row: Row) => [[Number(row.seq), toKey(row)]] as const;
  const keys = new Map<number, DedupKey>(rows.flatMap((row) => tryOr(() => keyed(row), [])));
  const sources = new Set([...keys.values()].map((key) => key.source));
  return { keys, source: sources.size === 1 ? [...sources][0] : undefined };
}

/** Reads the index as far as that is possible. */
function* readIndex(statements: Statements, columns: string): Generator<Row> {
  try {
    yield* statements.iterate(`SELECT ${columns} FROM entry INDEXED BY entry_key`);
  } catch {
    // The rest is damaged, or there is no index.
  }
}
