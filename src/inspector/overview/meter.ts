import type {
  AttemptObservation,
  DeliveryObservation,
  Observation,
} from "../../receiver/observation.ts";
import { verdictOf } from "../live/verdict.ts";
import { Fates, MINUTE } from "./fates.ts";
import type { Durations, KindDurations, Minute, Overview } from "./overview-api.ts";

const MINUTES = 60;
/** The maximum number of kinds counted separately, since a sender may invent any number. */
const MAX_KINDS = 40;
const OTHER_KINDS = "(other kinds)";

/** Counts deliveries and their durations while `listen` runs. Its size is bounded. */
export class Meter {
  readonly #since: number;
  readonly #minutes = new Map<number, Map<string, number>>();
  readonly fates = new Fates(MINUTES);
  readonly #latency = new Histogram();
  readonly #durations = new Map<string, { readonly times: Histogram; failed: number }>();

  constructor(now: number) {
    this.#since = now;
  }

  count(observation: Observation): void {
    this.fates.note(observation);
    if (observation.type === "delivery") this.#countDelivery(observation);
    else this.#countRuns(observation);
  }

  /** Everything except what the inbox knows. */
  read(now: number): Pick<Overview, "since" | "now" | "minutes" | "latency" | "durations"> {
    const current = Math.floor(now / MINUTE);
    const minutes = Array.from({ length: MINUTES }, (_, back): Minute => {
      const minute = current - (MINUTES - 1) + back;
      const at = minute * MINUTE;
      return {
        at,
        counts: Object.fromEntries(this.#minutes.get(minute) ?? []),
        states: this.fates.in(at),
      };
    });
    const durations = [...this.#durations].map(
      ([kind, { times, failed }]): KindDurations => ({ kind, failed, ...times.read() }),
    );
    durations.sort((a, b) => b.count - a.count);
    return { since: this.#since, now, minutes, latency: this.#latency.read(), durations };
  }

  #countDelivery({ receivedAt, duration, outcome }: DeliveryObservation): void {
    this.#latency.add(duration);
    const minute = Math.floor(receivedAt / MINUTE);
    const counts = this.#minutes.get(minute) ?? new Map<string, number>();
    const { word } = verdictOf(outcome);
    this.#minutes.set(minute, counts.set(word, (counts.get(word) ?? 0) + 1));
    for (const old of this.#minutes.keys()) if (old <= minute - MINUTES) this.#minutes.delete(old);
  }

  #countRuns({ kind, records }: AttemptObservation): void {
    for (const { duration, outcome } of records) {
      const known = this.#durations.has(kind ?? "") || this.#durations.size < MAX_KINDS;
      const name = known ? (kind ?? "") : OTHER_KINDS;
      const of = this.#durations.get(name) ?? { times: new Histogram(), failed: 0 };
      of.times.add(duration);
      if (outcome !== "ok") of.failed++;
      this.#durations.set(name, of);
    }
  }
}

/** Upper bounds that grow by a quarter each, from 0.1 ms to over a minute. */
const BOUNDS: readonly number[] = Array.from({ length: 62 }, (_, step) =>
  Number((0.1 * 1.25 ** step).toPrecision(3)),
);

/** Counts durations in buckets, to estimate quantiles: its size does not depend on their number. */
export class Histogram {
  /** The last one holds durations above all bounds. */
  readonly #counts: number[] = Array.from({ length: BOUNDS.length + 1 }, () => 0);
  #longest = 0;

  add(duration: number): void {
    const at = BOUNDS.findIndex((bound) => duration <= bound);
    const index = at === -1 ? BOUNDS.length : at;
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#longest = Math.max(this.#longest, duration);
  }

  read(): Durations {
    const count = this.#counts.reduce((sum, count) => sum + count, 0);
    const quantile = (share: number) => this.#quantile(count * share);
    return { count, median: quantile(0.5), p95: quantile(0.95), longest: this.#longest };
  }

  /**
   * The upper bound of the bucket with this many durations up to it; never above the longest one.
   */
  #quantile(wanted: number): number {
    let seen = 0;
    for (const [index, count] of this.#counts.entries()) {
      seen += count;
      if (seen >= wanted && count > 0)
        return Math.min(BOUNDS[index] ?? this.#longest, this.#longest);
    }
    return 0;
  }
}
