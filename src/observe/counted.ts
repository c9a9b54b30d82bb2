import { eventKinds } from "../event/kinds.ts";
import type { AttemptRecord } from "../inbox/attempt-record.ts";
import type { Drift } from "../receiver/drift.ts";
import type { AttemptObservation, DeliveryObservation } from "../receiver/observation.ts";
import { boundedLabel, OTHER } from "./bounded-label.ts";
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

/** Counts dead letters by reason, of deliveries and of runs. */
export function countingDead(set: MetricSet): (reason: string) => void {
  const reasonOf = boundedLabel(MAX_REASONS);
  const total = set.counter(
    "hookporter_dead_letters_total",
    "Entries that became dead letters here, by reason.",
    ["reason"],
  );
  for (const reason of KNOWN_DEAD) total.inc({ reason: reasonOf(reason) }, 0);
  return (reason) => total.inc({ reason: reasonOf(reason) });
}

/** Counts the answers to requests. */
export function countingDeliveries(set: MetricSet, dead: (reason: string) => void) {
  const reasonOf = boundedLabel(MAX_REASONS);
  const total = set.counter(
    "hookporter_deliveries_total",
    "Requests answered, by outcome and reason.",
    ["outcome", "reason"],
  );
  const events = set.counter("hookporter_events_total", "New events kept, by kind.", ["kind"]);
  const duplicates = set.counter(
    "hookporter_duplicates_total",
    "Deliveries of events that were kept before, by kind.",
    ["kind"],
  );
  const durations = set.histogram(
    "hookporter_answer_duration_seconds",
    "Time from a request's headers to the response, the commit included, by outcome.",
    ANSWER_BUCKETS,
    ["outcome"],
  );
  for (const { outcome, reason } of KNOWN_OUTCOMES)
    total.inc({ outcome, reason: reasonOf(reason) }, 0);
  for (const kind of KINDS) {
    events.inc({ kind }, 0);
    duplicates.inc({ kind }, 0);
  }
  return ({ outcome, duration }: DeliveryObservation) => {
    const labels = labelsOf(outcome);
    total.inc({ ...labels, reason: reasonOf(labels.reason) });
    durations.observe({ outcome: labels.outcome }, duration / 1000);
    const reason = deadReasonOf(outcome);
    if (reason !== undefined) dead(reason);
    if (outcome.type !== "accepted" && outcome.type !== "rejected") return;
    const kind = kindLabel(outcome.kind);
    if (outcome.duplicate) duplicates.inc({ kind });
    else if (outcome.type === "accepted") events.inc({ kind });
  };
}

const ENDS: readonly AttemptObservation["state"][] = [
  "handled",
  "failing",
  "waiting",
  "dead",
  "received",
];
const ATTEMPT_OUTCOMES: readonly AttemptRecord["outcome"][] = ["ok", "error", "timeout"];

/** Counts runs of entries, and of their handlers. */
export function countingRuns(set: MetricSet, dead: (reason: string) => void) {
  const handlerOf = boundedLabel(MAX_HANDLERS);
  const seen = new Set<string>();
  const ends = set.counter("hookporter_runs_total", "Runs of entries, by the state after them.", [
    "state",
  ]);
  const attempts = set.counter(
    "hookporter_attempts_total",
    "Runs of handlers, by kind, handler and outcome.",
    ["kind", "handler", "outcome"],
  );
  const durations = set.histogram(
    "hookporter_attempt_duration_seconds",
    "Time that handlers ran, by kind and handler.",
    ATTEMPT_BUCKETS,
    ["kind", "handler"],
  );
  for (const state of ENDS) ends.inc({ state }, 0);
  /** Starts all outcomes of a handler at 0. */
  const begin = (kind: string, handler: string) => {
    const key = `${kind} ${handler}`;
    if (seen.has(key)) return;
    seen.add(key);
    for (const outcome of ATTEMPT_OUTCOMES) attempts.inc({ kind, handler, outcome }, 0);
  };
  return ({ kind: given, records, state, reason }: AttemptObservation) => {
    const kind = kindLabel(given);
    for (const { handler: name, outcome, duration } of records) {
      const handler = handlerOf(name);
      begin(kind, handler);
      attempts.inc({ kind, handler, outcome });
      durations.observe({ kind, handler }, duration / 1000);
    }
    ends.inc({ state });
    if (state === "dead") dead(reason ?? "");
  };
}

const CHANGES: readonly Drift["what"][] = ["new field", "field gone", "type changed", "new value"];

/** Counts how events began to differ from those before. */
export function countingDrift(set: MetricSet): (drift: Drift) => void {
  const total = set.counter(
    "hookporter_drift_differences_total",
    "Ways in which events began to differ from the shape file, each counted once, by kind and change.",
    ["kind", "change"],
  );
  // From 0, so that the first difference is an increase.
  for (const kind of KINDS) for (const change of CHANGES) total.inc({ kind, change }, 0);
  return ({ kind, what }) => total.inc({ kind: kindLabel(kind), change: what });
}
