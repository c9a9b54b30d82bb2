import { Listeners } from "../base/listeners.ts";
import type { Envelope } from "../event/envelope.ts";
import type { Drift } from "./drift.ts";
import type { Settings } from "./options/options.ts";

export class DriftListeners extends Listeners<Drift> {
  readonly #settings: Pick<Settings, "drift" | "log">;

  constructor(settings: Pick<Settings, "drift" | "log">) {
    super(settings.log);
    this.#settings = settings;
  }

  /** Compares an entry's event with those before it. */
  compare({ seq, eventId }: Pick<Drift, "seq" | "eventId">, { event: kind, data }: Envelope): void {
    const { drift: watch, log } = this.#settings;
    for (const { path, what, expected, got } of watch?.differences(kind, data) ?? []) {
      const drift: Drift = { kind, path, what, expected, got, seq, eventId };
      log.warn({ drift }, `events of ${kind} began to differ`);
      this.notify(drift);
    }
  }
}
