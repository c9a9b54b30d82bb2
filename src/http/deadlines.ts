/** A callback, and when it is due by `performance.now()`. */
interface Deadline {
  readonly call: () => void;
  readonly at: number;
}

/**
 * Many deadlines of the same length on a single timer. Nearly all are cancelled long before they expire, and a timer for
 * each would cost more than the work it guards. They expire in the order in which they were added.
 */
export class Deadlines {
  readonly #ms: number;
  /** By number, since a map hashes numbers faster than functions. */
  readonly #due = new Map<number, Deadline>();
  #last = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param ms - length of each deadline */
  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Schedules a callback; returns the deadline's number. */
  add(call: () => void): number {
    this.#last++;
    this.#due.set(this.#last, { call, at: performance.now() + this.#ms });
    this.#timer ??= this.#wait(this.#ms);
    return this.#last;
  }

  /** Cancels the deadline with this number. */
  callOff(number: number): void {
    this.#due.delete(number);
  }

  /** The timer does not keep the process alive; the guarded work does. */
  #wait(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#look(), Math.max(1, Math.ceil(ms))).unref();
  }

  #look(): void {
    this.#timer = undefined;
    for (const [number, { call, at }] of this.#due) {
      const left = at - performance.now();
      if (left > 0) {
        clearTimeout(this.#timer); // one started by a callback would fire too late
        this.#timer = this.#wait(left);
        return;
      }
      this.#due.delete(number);
      call();
    }
  }
}
