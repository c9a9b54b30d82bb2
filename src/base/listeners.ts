import { describeError } from "../errors.ts";
import { isPromiseLike } from "./is-promise-like.ts";
import type { Logger } from "./logger.ts";

/** A set of listeners. If one throws, or its promise rejects, that is logged; the others are still called. */
export class Listeners<Event> {
  readonly #listeners = new Set<(event: Event) => unknown>();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Adds a listener; returns a function that removes it. */
  add(listener: (event: Event) => unknown): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  notify(event: Event): void {
    for (const listener of this.#listeners) notifyListener(listener, event, this.#log);
  }
}

/** Calls one listener, without waiting for its promise. */
export function notifyListener<Event>(listener: (event: Event) => unknown, event: Event, log: Logger): void {
  const failed = (thrown: unknown) => log.error({ error: describeError(thrown) }, "a listener failed");
  try {
    const result = listener(event);
    if (isPromiseLike(result)) Promise.resolve(result).catch(failed);
  } catch (thrown) {
    failed(thrown);
  }
}
