import { randomUUID } from "node:crypto";
import { describeError } from "../../errors.ts";
import type { Logger } from "../../logger.ts";
import type { Session } from "./session.ts";
import type { Store } from "./store.ts";

/** Milliseconds between two notifications of a process, since each commit with one waits for those of all others. */
const BETWEEN = 20;
/** Milliseconds to wait for the notification that proves that notifications arrive. */
const PROOF = 3000;
/** Milliseconds before a lost connection is opened again: at first, and at most. */
const FIRST_WAIT = 500;
const LAST_WAIT = 30_000;

/**
 * Tells the other processes of an inbox that entries may be due, and hears it from them. A hint only: what is not heard
 * is found by polling.
 */
export class Wake {
  readonly #store: Store;
  readonly #session: Pick<Session, "listen">;
  readonly #log: Logger | undefined;
  readonly #channel: string;
  /** Marks this process's own notifications. */
  readonly #id = randomUUID();
  readonly #listeners = new Set<() => void>();
  #stopListening: (() => Promise<void>) | undefined;
  #proven: (() => void) | undefined;
  #opening: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #wait = FIRST_WAIT;
  #telling: NodeJS.Timeout | undefined;
  #tell: Promise<unknown> | undefined;
  #lastTold = Number.NEGATIVE_INFINITY;
  #useless = false;
  #stopped = false;

  constructor(store: Store, session: Pick<Session, "listen">, log: Logger | undefined) {
    this.#store = store;
    this.#session = session;
    this.#log = log;
    this.#channel = `hookporter_due_${store.schema}`;
  }

  /** Begins to listen, without waiting for it. */
  start(): void {
    if (this.#session.listen === undefined || this.#stopped) return;
    this.#opening = this.#listen().catch((thrown) => {
      this.#log?.debug(
        { error: describeError(thrown) },
        "the inbox could not listen for notifications; it polls",
      );
      this.#end();
      this.#lost();
    });
  }

  /** Calls the listener when another process says that entries may be due; returns an unsubscribe function. */
  onDue(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells the other processes, soon, that entries may be due. */
  tell(): void {
    if (this.#telling !== undefined || this.#stopped) return;
    const wait = Math.max(0, this.#lastTold + BETWEEN - performance.now());
    this.#telling = setTimeout(() => {
      this.#telling = undefined;
      this.#lastTold = performance.now();
      this.#tell = this.#notify(this.#id).catch(() => {}); // others poll
    }, wait);
  }

  /** Resolves once nothing is under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#telling);
    clearTimeout(this.#retry);
    this.#proven?.();
    await Promise.all([this.#opening, this.#tell]);
    await this.#stopListening?.().catch(() => {});
  }

  #notify(payload: string): Promise<unknown> {
    return this.#store.query("SELECT pg_notify($1::text, $2::text)", [this.#channel, payload]);
  }

  async #listen(): Promise<void> {
    const proof = randomUUID();
    const heard = (payload: string) => {
      if (payload === proof) this.#proven?.();
      else if (payload !== this.#id) for (const listener of this.#listeners) listener();
    };
    this.#stopListening = await this.#session.listen?.(this.#channel, heard, () => this.#lost());
    if (!(await this.#arrives(proof)) && !this.#stopped) {
      this.#log?.warn(
        {},
        "notifications of the database do not arrive, as behind a pooler in transaction mode: entries of other processes " +
          "are found by polling; set listenUrl to a direct connection",
      );
      this.#useless = true;
      this.#end();
      return;
    }
    this.#wait = FIRST_WAIT;
    for (const listener of this.#listeners) listener(); // for what was missed
  }

  /** Whether a notification that is sent now is heard: a pooler accepts LISTEN and loses it. */
  async #arrives(proof: string): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const arrived = new Promise<boolean>((resolve) => {
      this.#proven = () => resolve(true);
      timer = setTimeout(() => resolve(false), PROOF);
    });
    try {
      await this.#notify(proof);
      return await arrived;
    } finally {
      clearTimeout(timer);
      this.#proven = undefined;
    }
  }

  #end(): void {
    this.#stopListening?.().catch(() => {});
    this.#stopListening = undefined;
  }

  #lost(): void {
    this.#stopListening = undefined;
    if (this.#stopped || this.#useless || this.#retry !== undefined) return;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.start();
    }, this.#wait).unref();
    this.#wait = Math.min(2 * this.#wait, LAST_WAIT);
  }
}
