import { Listeners } from "../base/listeners.ts";
import type { Logger } from "../base/logger.ts";
import type { Difference } from "../event/difference.ts";
import type { ClaimedEntry } from "../inbox/claim.ts";
import type { Drift } from "./drift.ts";

/** Tells listeners and the log that events began to differ. */
export class DriftListeners {
  readonly #listeners: Listeners<Drift>;
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#listeners = new Listeners(log);
    this.#log = log;
  }

  /** Adds a listener; returns a function that removes it. */
  add(listener: (drift: Drift) => unknown): () => void {
    return this.#listeners.add(listener);
  }

  notify({ seq, key: { eventId } }: ClaimedEntry, kind: string, differences: readonly Difference[]): void {
    for (const { path, what, expected, got } of differences) {
      const drift: Drift = { kind, path, what, expected, got, seq, eventId };
      this.#log.warn({ drift }, `events of ${kind} began to differ`);
      this.#listeners.notify(drift);
    }
  }
}
