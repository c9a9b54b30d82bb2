import { randomUUID } from "node:crypto";
import { describeError } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { unref } from "../../base/stand-ins.ts";
import { withTimeout } from "../../base/with-timeout.ts";
import type { Runners } from "./runners.ts";
import type { Listening, PostgresSession } from "./session.ts";
import type { Store } from "./store.ts";

/**
 * Milliseconds between two notifications of a process, since each commit with one waits for those
 * of all others.
 */
export const BETWEEN = 20;
/**
 * The same for those that only say that this process runs entries: the others then watch it for
 * longer.
 */
const BUSY = 10_000;
/** Milliseconds before a notification is sent again that could not be. */
const AGAIN = 1000;
/** Milliseconds to wait for the notification that proves that notifications arrive. */
const PROOF = 3000;
/**
 * Milliseconds before a lost connection is opened again, after the first attempt has failed: at
 * first, and at most.
 */
const FIRST_WAIT = 100;
const LAST_WAIT = 30_000;
/**
 * The same if notifications did not arrive: behind a pooler they never will, but the server may
 * only have been slow.
 */
const USELESS_WAIT = 300_000;

/** Who uses the connection that listens, besides. */
type Listener = Pick<Runners, "connected" | "disconnected" | "othersBusy">;

/**
 * Tells the other processes of an inbox that entries may be due, and hears it from them. A hint
 * only: what is not heard is found by polling, which is rare while notifications are known to
 * arrive.
 */
export class Wake {
  readonly #store: Store;
  readonly #session: Pick<PostgresSession, "listen">;
  readonly #runners: Listener;
  readonly #log: Logger | undefined;
  readonly #channel: string;
  /** Marks this process's own notifications. */
  readonly #id = randomUUID();
  readonly #onDue: (() => void) | undefined;
  #listening: Listening | undefined;
  #proven: (() => void) | undefined;
  #opening: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #wait = 0;
  #notifying: NodeJS.Timeout | undefined;
  #sending: Promise<unknown> | undefined;
  #lastNotified = Number.NEGATIVE_INFINITY;
  /** Whether notifications arrive, so that polling is hardly needed. */
  supportsNotify = false;
  #isReported = false;
  #stopped = false;

  constructor(
    store: Store,
    session: Pick<PostgresSession, "listen">,
    runners: Listener,
    log: Logger | undefined,
    onDue: (() => void) | undefined,
  ) {
    this.#store = store;
    this.#session = session;
    this.#runners = runners;
    this.#log = log;
    this.#onDue = onDue;
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

  /** Tells this process that entries may be due. */
  due(): void {
    this.#onDue?.();
  }

  /** Tells all processes, soon, that entries may be due. */
  notify(wait = Math.max(0, this.#lastNotified + BETWEEN - performance.now())): void {
    if (this.#notifying !== undefined || this.#stopped) return;
    this.#notifying = setTimeout(() => {
      this.#notifying = undefined;
      this.#lastNotified = performance.now();
      this.due(); // this process does not hear its own notification
      this.#sending = this.#notify(this.#id).catch(() => this.notify(AGAIN));
    }, wait);
  }

  /**
   * Tells them now and then that this process runs entries, so that they notice if it dies or
   * hangs.
   */
  notifyBusy(): void {
    if (this.supportsNotify && performance.now() >= this.#lastNotified + BUSY) this.notify();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#notifying);
    clearTimeout(this.#retry);
    this.#proven?.();
    await Promise.all([this.#opening, this.#sending]);
    await this.#listening?.stop().catch(() => {});
  }

  #notify(payload: string): Promise<unknown> {
    return this.#store.query("SELECT pg_notify($1::text, $2::text)", [this.#channel, payload]);
  }

  async #listen(): Promise<void> {
    const proof = randomUUID();
    const heard = (payload: string) => {
      if (payload === proof) this.#proven?.();
      else if (payload !== this.#id) {
        this.#runners.othersBusy();
        this.due();
      }
    };
    const listening = await this.#session.listen?.(this.#channel, heard, () => end());
    this.#listening = listening;
    const end = () => {
      if (this.#listening !== listening) return; // it was given up before
      this.#end();
      this.#lost();
    };
    if (this.#stopped) return; // nothing waits for the proof
    // A pooler accepts LISTEN and loses it, so a notification is sent and listened for.
    const arrived = new Promise<boolean>((resolve) => {
      this.#proven = () => resolve(true);
    });
    const arrives = await this.#notify(proof)
      .then(() => withTimeout(arrived, PROOF, () => false))
      .finally(() => {
        this.#proven = undefined;
      });
    // lost meanwhile, or no longer needed
    if (this.#listening === undefined || this.#stopped) return;
    if (!arrives) {
      const message =
        "notifications of the database do not arrive, as behind a pooler in transaction mode: entries of other processes " +
        "are found by polling; set listenUrl to a direct connection";
      if (!this.#isReported) this.#log?.warn({}, message);
      this.#isReported = true;
      this.#wait = USELESS_WAIT;
      end();
      return;
    }
    this.#wait = 0;
    this.supportsNotify = true;
    if (this.#listening.query !== undefined) this.#runners.connected(this.#listening.query, end);
    this.due(); // for what was missed
  }

  #end(): void {
    this.#listening?.stop().catch(() => {});
    this.#listening = undefined;
  }

  #lost(): void {
    this.#listening = undefined;
    this.#runners.disconnected();
    const heard = this.supportsNotify;
    this.supportsNotify = false;
    if (this.#stopped || this.#retry !== undefined) return;
    if (heard) this.due(); // and polling begins
    this.#retry = unref(
      setTimeout(() => {
        this.#retry = undefined;
        this.start();
      }, this.#wait),
    );
    this.#wait = Math.min(Math.max(FIRST_WAIT, 2 * this.#wait), LAST_WAIT);
  }
}
