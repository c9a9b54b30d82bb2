/**
 * Many deadlines of one length behind a single timer: nearly all of them are called off long before they are over, and a
 * timer for each would cost more than what it guards. They are over in the order in which they began.
 */
export class Deadlines {
  readonly #ms: number;
  /** Each call, and when it is due. */
  readonly #due = new Map<() => void, number>();
  #timer: NodeJS.Timeout | undefined;

  /** @param ms - from the beginning of each to its end */
  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Calls when the time from now is over. */
  add(call: () => void): void {
    this.#due.set(call, performance.now() + this.#ms);
    this.#timer ??= this.#wait(this.#ms);
  }

  /** Does not call after all. */
  callOff(call: () => void): void {
    this.#due.delete(call);
  }

  /** By itself it keeps no process alive: what it waits for does. */
  #wait(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#look(), Math.max(1, Math.ceil(ms))).unref();
  }

  #look(): void {
    this.#timer = undefined;
    for (const [call, due] of this.#due) {
      const left = due - performance.now();
      if (left > 0) {
        clearTimeout(this.#timer); // one that a call has begun would be late
        this.#timer = this.#wait(left);
        return;
      }
      this.#due.delete(call);
      call();
    }
  }
}
