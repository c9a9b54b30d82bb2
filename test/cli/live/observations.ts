import type { AttemptRecord } from "../../../src/entries/index.ts";
import type { AttemptObservation, DeliveryObservation } from "../../../src/receiver/observation.ts";

/** The event id of the samples. */
export const ID = "evt_1_0123456789abcdef0123456789abcdef01234567";

/** A delivery that was accepted; omitted parts are the sample's. */
export function delivery(parts: Partial<DeliveryObservation> = {}): DeliveryObservation {
  return {
    type: "delivery",
    method: "POST",
    target: "/",
    headers: {},
    receivedAt: 0,
    duration: 1,
    bytes: 2,
    outcome: accepted({}),
    ...parts,
  };
}

export function accepted(parts: object): DeliveryObservation["outcome"] {
  return {
    type: "accepted",
    eventId: ID,
    seq: 12,
    kind: "lead.created",
    duplicate: false,
    entryState: "waiting",
    secret: { role: "current", fingerprint: "00000000" },
    ...parts,
  } as DeliveryObservation["outcome"];
}

/** An attempt that handled an event; omitted parts are the sample's. */
export function attempt(parts: Partial<AttemptObservation> = {}): AttemptObservation {
  return {
    type: "attempt",
    seq: 13,
    eventId: ID,
    kind: "payment.overdue",
    attempt: 1,
    records: [ran()],
    state: "handled",
    reason: null,
    problems: [],
    runAt: 0,
    ...parts,
  } as AttemptObservation;
}

/** A run of a handler, which fails if it has an error; omitted parts are the sample's. */
export function ran(parts: Partial<AttemptRecord> = {}): AttemptRecord {
  return {
    attempt: 1,
    handler: "payment.overdue",
    startedAt: 0,
    duration: 8,
    outcome: (parts.error ?? null) === null ? "ok" : "error",
    error: null,
    failure: null,
    note: null,
    ...parts,
  } as AttemptRecord;
}
