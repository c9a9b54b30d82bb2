import { detach } from "../base/detach.ts";
import { reportAsWarning } from "../base/user-calls.ts";

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

/** Figures of a store, for metrics and alerts. */
export interface InboxVitals {
  /**
   * How large the store is now.
   *
   * @throws HookporterError `inbox_…` if that cannot be found out
   */
  size(): Promise<InboxSize>;
  /**
   * Calls the listener with the milliseconds that each commit took; returns an unsubscribe
   * function.
   */
  onCommit(listener: (duration: number) => void): () => void;
}

/**
 * The figures of a store, and the listeners for its commits. Without any, a commit costs nothing
 * more.
 */
export class StoreVitals implements InboxVitals {
  readonly size: InboxVitals["size"];
  readonly #listeners = new Set<(duration: number) => void>();
  readonly #report = reportAsWarning("a listener of onCommit");

  constructor(size: InboxVitals["size"]) {
    this.size = size;
  }

  onCommit(listener: (duration: number) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Runs a transaction, and notes how long it took if it was committed. */
  async timed<Result>(work: Promise<Result>): Promise<Result> {
    const start = performance.now();
    const result = await work;
    this.note(performance.now() - start);
    return result;
  }

  note(duration: number): void {
    for (const listener of this.#listeners) {
      try {
        const result: unknown = listener(duration);
        if (result !== undefined) detach(result, this.#report);
      } catch (thrown) {
        this.#report(thrown); // what is committed must be answered, whatever a listener does
      }
    }
  }
}
