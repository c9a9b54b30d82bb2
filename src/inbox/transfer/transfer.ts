import { hash } from "../../base/package/builtins.ts";
import type { Delivery } from "../../event/delivery.ts";
import type { AttemptRecord } from "../attempt-record.ts";
import type { Entry } from "../entry.ts";

export interface WholeEntry {
  readonly entry: Entry;
  /** The token of its lease, if it is running. */
  readonly lease: string | null;
  /** `undefined` if it was slimmed. */
  readonly delivery: Delivery | undefined;
  readonly runs: readonly AttemptRecord[];
}

/** The date up to which events of a source may have been pruned. */
export interface PrunedMark {
  readonly source: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/**
 * Which entries to read: those with a higher number than `after`, up to `last`, in order of
 * arrival.
 */
export interface TransferRange {
  readonly after: number;
  /** Default: no limit. */
  readonly last?: number;
  /** The most entries. Fewer are read if their bodies are large. */
  readonly limit: number;
}

/** An inbox while it is copied. Nothing else may write to it. */
export interface Transfer {
  /** How many processes are registered with it. */
  runners(): Promise<number>;
  /** The highest number of an entry; 0 if there is none. */
  last(): Promise<number>;
  count(): Promise<number>;
  read(range: TransferRange): Promise<readonly WholeEntry[]>;
  /**
   * Adds entries as they are, with their numbers, in one transaction. Later entries get higher
   * numbers.
   */
  write(entries: readonly WholeEntry[]): Promise<void>;
  /**
   * Whether one row of what was written caused the failure, so that the others can be written
   * without it.
   */
  isFaultOfRow(thrown: unknown): boolean;
  /**
   * Takes over what entries say that is not known yet, by their dedup keys, in one transaction.
   * Default: it cannot.
   */
  merge?(entries: readonly WholeEntry[]): Promise<Merged>;
  pruned(): Promise<readonly PrunedMark[]>;
  markPruned(marks: readonly PrunedMark[]): Promise<void>;
  close(): Promise<void>;
}

/** What a merge has done with entries; all others are known with this state, or a further one. */
export interface Merged {
  /** Entries that were not known. */
  readonly added: number;
  /** Entries that had not got as far. */
  readonly advanced: number;
}

/** Bytes of bodies that are read at a time. */
const LARGEST_READ = 8 * 1024 * 1024;

/** The numbers to read at a time, of entries in order of arrival: at least one. */
export function oneRead(entries: readonly { readonly seq: number; readonly length: number }[]) {
  let bytes = 0;
  const end = entries.findIndex(({ length }, index) => {
    bytes += length;
    return index > 0 && bytes > LARGEST_READ;
  });
  return (end === -1 ? entries : entries.slice(0, end)).map(({ seq }) => seq);
}

/** A digest of everything that two copies of an entry must have in common. */
export function digestOf({ entry, lease, delivery, runs }: WholeEntry): string {
  const { key, waits, problems, ...fields } = entry;
  const body = delivery === undefined ? null : hash("sha256", delivery.body, "hex");
  const parts = [
    [key.source, key.eventId, key.timestamp],
    sorted(fields),
    [waits.map(sorted), problems.map(sorted)],
    lease,
    delivery === undefined ? null : sorted({ ...delivery, body }),
    runs.map(sorted),
  ];
  return hash("sha256", JSON.stringify(parts), "hex");
}

/** The fields of an object by name, whatever their order. */
function sorted(fields: object): readonly (readonly [string, unknown])[] {
  return Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
}
