/** Messages in the order they came, taken one by one with a time limit: what lets a supervisor be one plain loop. */
export class Mailbox<Message> {
  readonly #waiting: Message[] = [];
  #taker: (() => void) | undefined;

  put(message: Message): void {
    this.#waiting.push(message);
    this.#taker?.();
  }

  /** The next message; `undefined` when none came in that many milliseconds. */
  async take(timeout: number): Promise<Message | undefined> {
    if (this.#waiting.length === 0 && timeout > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(timeout, LONGEST));
        this.#taker = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#taker = undefined;
    }
    return this.#waiting.shift();
  }
}

/** What a timer can hold; a longer wait ends early, with nothing. */
const LONGEST = 2 ** 31 - 1;
