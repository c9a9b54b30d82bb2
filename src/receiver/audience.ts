import { describeError } from "../errors.ts";
import type { Logger } from "../logger.ts";

/** Those who want to be told of something. What a listener throws, or rejects with later, is logged and harms nobody. */
export class Audience<Told> {
  readonly #listeners = new Set<(told: Told) => unknown>();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Tells a listener from now on; gives a function that ends it. */
  add(listener: (told: Told) => unknown): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  tell(told: Told): void {
    for (const listener of this.#listeners) tellOne(listener, told, this.#log);
  }
}

/** Tells one listener, who is not waited for. */
export function tellOne<Told>(listener: (told: Told) => unknown, told: Told, log: Logger): void {
  const failed = (thrown: unknown) => log.error({ error: describeError(thrown) }, "a listener failed");
  try {
    const result = listener(told);
    if (isThenable(result)) Promise.resolve(result).catch(failed);
  } catch (thrown) {
    failed(thrown);
  }
}

function isThenable(result: unknown): result is PromiseLike<unknown> {
  return typeof (result as Partial<PromiseLike<unknown>> | null | undefined)?.then === "function";
}
