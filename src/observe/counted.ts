import type { Counter, Histogram } from "prom-client";
import { eventKinds } from "../event/kinds.ts";
import type { AttemptRecord } from "../inbox/attempt-record.ts";
import type { Drift } from "../receiver/drift.ts";
import type { AttemptObservation, DeliveryObservation } from "../receiver/observation.ts";
import { BoundedLabel, OTHER } from "./bounded-label.ts";
import type { MetricSet } from "./metric-set.ts";
import { deadReasonOf, KNOWN_DEAD, KNOWN_OUTCOMES, kindLabel, labelsOf } from "./outcome-labels.ts";

/** In seconds. A sender waits for answers, so small differences count. */
const ANSWER_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** A handler may run for minutes. */
const ATTEMPT_BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120];

/** The most reasons, and names of handlers, that are told apart. */
const MAX_REASONS = 60;
export const MAX_HANDLERS = 50;

const KINDS: readonly string[] = [...eventKinds, OTHER];

/** Counts dead letters, of deliveries and of runs. */
export class CountedDead {
  readonly #total: Counter<"reason">;
  readonly #reasons = new BoundedLabel(MAX_REASONS);

  constructor(set: MetricSet) {
    this.#total = set.counter(
      "hookporter_dead_letters_total",
      "Entries that became dead letters here, by reason.",
      ["reason"],
    );
    for (const reason of KNOWN_DEAD) this.#total.inc({ reason: this.#reasons.of(reason) }, 0);
  }

  count(reason: string): void {
    this.#total.inc({ reason: this.#reasons.of(reason) });
  }
}

/** Counts the answers to requests. */
export class CountedDeliveries {
  readonly #dead: CountedDead;
  readonly #total: Counter<"outcome" | "reason">;
  readonly #events: Counter<"kind">;
  readonly #duplicates: Counter<"kind">;
  readonly #durations: Histogram<"outcome">;
  readonly #reasons = new BoundedLabel(MAX_REASONS);

  constructor(set: MetricSet, dead: CountedDead) {
    this.#dead = dead;
    this.#total = set.counter("hookporter_deliveries_total", "Requests answered, by outcome and reason.", [
      "outcome",
      "reason",
    ]);
    this.#events = set.counter("hookporter_events_total", "New events kept, by kind.", ["kind"]);
    this.#duplicates = set.counter(
      "hookporter_duplicates_total",
      "Deliveries of events that were kept before, by kind.",
      ["kind"],
    );
    this.#durations = set.histogram(
      "hookporter_answer_duration_seconds",
      "Time from a request's headers to the response, the commit included, by outcome.",
      { buckets: ANSWER_BUCKETS, labels: ["outcome"] },
    );
    for (const { outcome, reason } of KNOWN_OUTCOMES)
      this.#total.inc({ outcome, reason: this.#reasons.of(reason) }, 0);
    for (const kind of KINDS) {
      this.#events.inc({ kind }, 0);
      this.#duplicates.inc({ kind }, 0);
    }
  }

  count({ outcome, duration }: DeliveryObservation): void {
    const labels = labelsOf(outcome);
    this.#total.inc({ ...labels, reason: this.#reasons.of(labels.reason) });
    this.#durations.observe({ outcome: labels.outcome }, duration / 1000);
    const dead = deadReasonOf(outcome);
    if (dead !== undefined) this.#dead.count(dead);
    if (outcome.type !== "accepted" && outcome.type !== "rejected") return;
    const kind = kindLabel(outcome.kind);
    if (outcome.duplicate) this.#duplicates.inc({ kind });
    else if (outcome.type === "accepted") this.#events.inc({ kind });
  }
}

const ENDS: readonly AttemptObservation["state"][] = ["handled", "failing", "waiting", "dead", "received"];
const ATTEMPT_OUTCOMES: readonly AttemptRecord["outcome"][] = ["ok", "error", "timeout"];

export class CountedRuns {
  readonly #dead: CountedDead;
  readonly #ends: Counter<"state">;
  readonly #attempts: Counter<"kind" | "handler" | "outcome">;
  readonly #durations: Histogram<"kind" | "handler">;
  readonly #handlers = new BoundedLabel(MAX_HANDLERS);
  readonly #seen = new Set<string>();

  constructor(set: MetricSet, dead: CountedDead) {
    this.#dead = dead;
    this.#ends = set.counter("hookporter_runs_total", "Runs of entries, by the state after them.", ["state"]);
    this.#attempts = set.counter(
      "hookporter_attempts_total",
      "Runs of handlers, by kind, handler and outcome.",
      ["kind", "handler", "outcome"],
    );
    this.#durations = set.histogram(
      "hookporter_attempt_duration_seconds",
      "Time that handlers ran, by kind and handler.",
      { buckets: ATTEMPT_BUCKETS, labels: ["kind", "handler"] },
    );
    for (const state of ENDS) this.#ends.inc({ state }, 0);
  }

  count({ kind: given, records, state, reason }: AttemptObservation): void {
    const kind = kindLabel(given);
    for (const { handler: name, outcome, duration } of records) {
      const handler = this.#handlers.of(name);
      this.#begin(kind, handler);
      this.#attempts.inc({ kind, handler, outcome });
      this.#durations.observe({ kind, handler }, duration / 1000);
    }
    this.#ends.inc({ state });
    if (state === "dead") this.#dead.count(reason ?? "");
  }

  /** Starts all outcomes of a handler at 0. */
  #begin(kind: string, handler: string): void {
    const key = `${kind} ${handler}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    for (const outcome of ATTEMPT_OUTCOMES) this.#attempts.inc({ kind, handler, outcome }, 0);
  }
}

const CHANGES: readonly Drift["what"][] = ["new field", "field gone", "type changed", "new value"];

/** Counts how events began to differ from those before. */
export class CountedDrift {
  readonly #total: Counter<"kind" | "change">;

  constructor(set: MetricSet) {
    this.#total = set.counter(
      "hookporter_drift_differences_total",
      "Ways in which events began to differ from the shape file, each counted once, by kind and change.",
      ["kind", "change"],
    );
    // From 0, so that the first difference is an increase.
    for (const kind of [...eventKinds, OTHER])
      for (const change of CHANGES) this.#total.inc({ kind, change }, 0);
  }

  count({ kind, what }: Drift): void {
    this.#total.inc({ kind: kindLabel(kind), change: what });
  }
}
