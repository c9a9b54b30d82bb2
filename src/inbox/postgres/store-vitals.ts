import { CommitListeners, type InboxSize, type InboxVitals } from "../vitals.ts";
import type { Store } from "./store.ts";

/** The figures of an inbox on PostgreSQL. How much disk is left there, only the server's owner can tell. */
export class StoreVitals implements InboxVitals {
  readonly #store: () => Store;
  readonly #commits = new CommitListeners();

  /** @param store - returns the store; throws if it is not open */
  constructor(store: () => Store) {
    this.#store = store;
  }

  async size(): Promise<InboxSize> {
    const [row] = await this.#store().query(
      `SELECT coalesce(sum(pg_total_relation_size(oid)), 0) AS bytes FROM pg_class
       WHERE relkind = 'r' AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = '@.done'::regclass)`,
    );
    return { bytes: Number(row?.bytes) };
  }

  onCommit(listener: (duration: number) => void): () => void {
    return this.#commits.add(listener);
  }

  /** Runs a transaction, and notes how long it took if it was committed. */
  async timed<Result>(work: Promise<Result>): Promise<Result> {
    const start = performance.now();
    const result = await work;
    this.#commits.note(performance.now() - start);
    return result;
  }
}
