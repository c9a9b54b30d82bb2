import type { Inbox } from "../../inbox/inbox.ts";
import type { Runner } from "../../inbox/runner.ts";

/** Milliseconds after which the other processes are looked at again. */
const RECENT = 1000;

/** The other processes, and the other receivers of this one, that are registered with an inbox. */
export class OtherProcesses {
  readonly #inbox: Inbox;
  readonly #own: string;
  #latest: readonly Runner[] = [];
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<readonly Runner[]> | undefined;
  #next: Promise<readonly Runner[]> | undefined;

  /** @param own - the id of this receiver's registration */
  constructor(inbox: Inbox, own: string) {
    this.#inbox = inbox;
    this.#own = own;
  }

  /**
   * Those that are registered now. Calls during a read share the next one, so that there is only
   * one at a time.
   */
  now(): Promise<readonly Runner[]> {
    if (this.#reading === undefined) return this.#read();
    const begin = () => {
      this.#next = undefined;
      return this.#read();
    };
    this.#next ??= this.#reading.then(begin, begin);
    return this.#next;
  }

  /**
   * Those that were registered within the last second, or, if the inbox fails, those that were last
   * seen.
   */
  async recent(): Promise<readonly Runner[]> {
    if (performance.now() - this.#readAt < RECENT) return this.#latest;
    return this.now().catch(() => this.#latest);
  }

  #read(): Promise<readonly Runner[]> {
    const readAt = performance.now();
    const reading = this.#inbox
      .runners()
      .then((runners) => {
        this.#latest = runners.filter(({ id }) => id !== this.#own);
        this.#readAt = readAt;
        return this.#latest;
      })
      .finally(() => {
        this.#reading = undefined;
      });
    this.#reading = reading;
    return reading;
  }
}
