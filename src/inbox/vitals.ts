/**
 * The disk of a file is nearly full if fewer bytes than these are free, besides room for the log to
 * be copied twice.
 */
export const MIN_FREE_BYTES = 500 * 1024 * 1024;

/** How large a store is. */
export interface InboxSize {
  /**
   * Bytes of all of it: for a file, with its write-ahead log; for PostgreSQL, all tables and
   * indexes of its schema.
   */
  readonly bytes: number;
  /**
   * Bytes of the write-ahead log beside the file. `undefined` if there is none, as with PostgreSQL.
   */
  readonly logBytes?: number | undefined;
  /**
   * Bytes that are free on the file's disk for this user. `undefined` if that is unknown, as with
   * PostgreSQL.
   */
  readonly freeBytes?: number | undefined;
}

/** Runs a transaction, and tells how long it took if it was committed. */
export async function timedCommit<Result>(
  work: Promise<Result>,
  onCommit: ((duration: number) => void) | undefined,
): Promise<Result> {
  const start = performance.now();
  const result = await work;
  onCommit?.(performance.now() - start);
  return result;
}
