import type { Logger } from "./logger.ts";
import { callUser, type Report, reportTo } from "./user-calls.ts";

type Listener<Event> = (event: Event) => unknown;

/**
 * Calls listeners without waiting for their promises. If one throws, or its promise rejects, that
 * is logged.
 */
export class ListenerCalls<Event> {
  readonly #name: string;
  readonly #log: Logger;
  readonly #reports = new WeakMap<Listener<Event>, Report>();

  /** @param name - of the method with which users add a listener */
  constructor(name: string, log: Logger) {
    this.#name = name;
    this.#log = log;
  }

  /** Never throws. */
  call(listener: Listener<Event>, event: Event): void {
    callUser(
      () => listener(event),
      (thrown) => this.#reportOf(listener)(thrown),
    );
  }

  #reportOf(listener: Listener<Event>): Report {
    const report =
      this.#reports.get(listener) ?? reportTo(this.#log, `a listener of ${this.#name}`);
    this.#reports.set(listener, report);
    return report;
  }
}

/** A set of listeners. If one fails, the others are still called. */
export class Listeners<Event> {
  readonly #listeners = new Set<Listener<Event>>();
  readonly #calls: ListenerCalls<Event>;

  /** @param name - of the method with which users add one */
  constructor(name: string, log: Logger) {
    this.#calls = new ListenerCalls(name, log);
  }

  /** Adds a listener; returns a function that removes it. */
  add(listener: Listener<Event>): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  notify(event: Event): void {
    for (const listener of this.#listeners) this.#calls.call(listener, event);
  }
}
