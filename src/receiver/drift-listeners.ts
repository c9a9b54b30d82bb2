import { Listeners } from "../base/listeners.ts";
import type { Logger } from "../base/logger.ts";
import type { Envelope } from "../event/envelope.ts";
import type { Drift } from "./drift.ts";
import type { Settings } from "./options/options.ts";

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

  /** Compares an entry's event with those before it. */
  compare(
    { seq, eventId }: { readonly seq: number; readonly eventId: string },
    { event: kind, data }: Envelope,
    { drift: watch }: Pick<Settings, "drift">,
  ): void {
    if (watch === undefined) return;
    for (const { path, what, expected, got } of watch.differences(kind, data)) {
      const drift: Drift = { kind, path, what, expected, got, seq, eventId };
      this.#log.warn({ drift }, `events of ${kind} began to differ`);
      this.#listeners.notify(drift);
    }
  }
}
