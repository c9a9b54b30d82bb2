import { CommitListeners, type InboxSize, type InboxVitals } from "../vitals.ts";
import type { Store } from "./store.ts";

/** The figures of an inbox on PostgreSQL. How much disk is left there, only the server's owner can tell. */
export class StoreVitals extends CommitListeners implements InboxVitals {
  readonly #store: () => Store;

  /** @param store - returns the store; throws if it is not open */
  constructor(store: () => Store) {
    super();
    this.#store = store;
  }

  async size(): Promise<InboxSize> {
    const sql = `SELECT sum(pg_total_relation_size(oid)) FROM pg_class
       WHERE relkind = 'r' AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = '@.done'::regclass)`;
    return { bytes: await this.#store().number(sql) };
  }

  /** Runs a transaction, and notes how long it took if it was committed. */
  async timed<Result>(work: Promise<Result>): Promise<Result> {
    const start = performance.now();
    const result = await work;
    this.note(performance.now() - start);
    return result;
  }
}
