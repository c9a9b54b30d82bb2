/**
 * Many deadlines of the same length on a single timer. Nearly all are cancelled long before they expire, and a timer for
 * each would cost more than the work it guards. They expire in the order in which they were added.
 */
export class Deadlines {
  readonly #ms: number;
  /** Callbacks, and when each is due. */
  readonly #due = new Map<() => void, number>();
  #timer: NodeJS.Timeout | undefined;

  /** @param ms - length of each deadline */
  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Schedules a callback. */
  add(call: () => void): void {
    this.#due.set(call, performance.now() + this.#ms);
    this.#timer ??= this.#wait(this.#ms);
  }

  /** Cancels a callback. */
  callOff(call: () => void): void {
    this.#due.delete(call);
  }

  /** The timer does not keep the process alive; the guarded work does. */
  #wait(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#look(), Math.max(1, Math.ceil(ms))).unref();
  }

  #look(): void {
    this.#timer = undefined;
    for (const [call, due] of this.#due) {
      const left = due - performance.now();
      if (left > 0) {
        clearTimeout(this.#timer); // one started by a callback would fire too late
        this.#timer = this.#wait(left);
        return;
      }
      this.#due.delete(call);
      call();
    }
  }
}
