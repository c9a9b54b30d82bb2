import { timerDelay } from "../../base/options/timer-delay.ts";

/**
 * A queue of messages, taken one at a time with a time limit. It lets the supervisor be a simple
 * loop.
 */
export class Mailbox<Message> {
  readonly #waiting: Message[] = [];
  #taker: (() => void) | undefined;

  put(message: Message): void {
    this.#waiting.push(message);
    this.#taker?.();
  }

  /** The next message; `undefined` if none arrives within this many milliseconds. */
  async take(timeout: number): Promise<Message | undefined> {
    if (this.#waiting.length === 0 && timeout > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timerDelay(timeout));
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
