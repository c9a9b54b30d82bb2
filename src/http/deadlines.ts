import { Chain, type Link } from "../base/chain.ts";

/** A callback, and when it is due by `performance.now()`. */
interface Due {
  readonly call: () => void;
  readonly at: number;
}

export type Deadline = Link<Due>;

/**
 * Many deadlines of the same length on a single timer. Nearly all are cancelled long before they
 * expire, and a timer for each would cost more than the work it guards. They expire in the order in
 * which they were added.
 */
export class Deadlines {
  readonly #ms: number;
  readonly #due = new Chain<Due>();
  #timer: NodeJS.Timeout | undefined;

  /** @param ms - length of each deadline */
  constructor(ms: number) {
    this.#ms = ms;
  }

  add(call: () => void): Deadline {
    this.#timer ??= this.#wait(this.#ms);
    return this.#due.add({ call, at: performance.now() + this.#ms });
  }

  /** Cancels a deadline, unless it has expired. */
  callOff(deadline: Deadline): void {
    this.#due.remove(deadline);
  }

  /** The timer does not keep the process alive; the guarded work does. */
  #wait(ms: number): NodeJS.Timeout {
    const timer = setTimeout(() => this.#look(), Math.max(1, Math.ceil(ms)));
    timer.unref?.(); // a timer of jsdom is a number
    return timer;
  }

  #look(): void {
    this.#timer = undefined;
    for (let next = this.#due.first; next?.item !== undefined; next = this.#due.first) {
      const { call, at } = next.item;
      const left = at - performance.now();
      if (left > 0) {
        clearTimeout(this.#timer); // one started by a callback would fire too late
        this.#timer = this.#wait(left);
        return;
      }
      this.#due.remove(next);
      call();
    }
  }
}
