import { isPromiseLike } from "../base/guards.ts";
import { Listeners } from "../base/listeners.ts";
import { callUser, type Report, reportTo } from "../base/user-calls.ts";
import type { Envelope } from "../event/envelope.ts";
import type { Drift } from "./drift.ts";
import type { Settings } from "./options/settings.ts";

export class DriftListeners extends Listeners<Drift> {
  readonly #settings: Pick<Settings, "drift" | "log">;
  readonly #report: Report;

  constructor(settings: Pick<Settings, "drift" | "log">) {
    super("onDrift", settings.log);
    this.#settings = settings;
    this.#report = reportTo(settings.log, "drift");
  }

  /** Compares an entry's event with those before it. Never throws. */
  compare(entry: Pick<Drift, "seq" | "eventId">, envelope: Envelope): void {
    callUser(() => this.#compare(entry, envelope), this.#report);
  }

  #compare(
    { seq, eventId }: Pick<Drift, "seq" | "eventId">,
    { event: kind, data }: Envelope,
  ): unknown {
    const { drift: watch, log } = this.#settings;
    const differences = watch?.differences(kind, data) ?? [];
    if (isPromiseLike(differences)) return differences;
    for (const { path, what, expected, got } of differences) {
      const drift: Drift = { kind, path, what, expected, got, seq, eventId };
      log.warn({ drift }, `events of ${kind} began to differ`);
      this.notify(drift);
    }
    return undefined;
  }
}
