import type { DataProblem } from "../event/data-problems.ts";
import type { Delivery } from "../event/delivery.ts";
import { type DedupKey, rejectedKey } from "../event/identity.ts";
import type { ReadEnvelope } from "../event/read-envelope.ts";
import type { Rejection } from "../event/rejection.ts";
import type { NewEntry } from "./append.ts";
import type { Lease } from "./claim.ts";

/** Longer kinds are cut when stored; handlers get them whole. */
const MAX_STORED_KIND = 200;

/** Why an event whose envelope is valid becomes a dead letter before it runs. */
export const UNFIT_REASONS = ["invalid_data", "schema_failed", "inexact_number"] as const;
export type UnfitReason = (typeof UNFIT_REASONS)[number];

export function isUnfit(reason: string): reason is UnfitReason {
  return UNFIT_REASONS.some((unfit) => unfit === reason);
}

type ReadEvent = Pick<ReadEnvelope, "envelope" | "timestamp">;

export interface EntryTerms {
  readonly key: DedupKey;
  readonly order: string | null;
  /** Why it is not to be handled, if it is a dead letter. */
  readonly unfit?: UnfitReason | undefined;
  /**
   * What is wrong with `data`; kept with a dead letter only, since all others have it in their
   * delivery.
   */
  readonly problems: readonly DataProblem[];
}

export interface FirstRun {
  /** Milliseconds from its arrival until it is due. Default 0. */
  readonly holdMs?: number | undefined;
  /** For an entry that may run at once. */
  readonly lease?: Lease | undefined;
}

/** The first state of an event's entry. */
export function newEntry(
  delivery: Delivery,
  read: ReadEvent,
  terms: EntryTerms,
  first: FirstRun = {},
): NewEntry {
  const { envelope, timestamp } = read;
  const { key, order, unfit, problems } = terms;
  const { holdMs = 0, lease } = first;
  const fits = unfit === undefined;
  return {
    key,
    kind: storedKind(envelope.event),
    eventTimestamp: timestamp,
    state: fits ? "waiting" : "dead",
    reason: unfit ?? null,
    problems: fits ? undefined : problems,
    orderKey: order,
    delivery,
    runAt: delivery.receivedAt + holdMs,
    lease: fits && holdMs === 0 ? lease : undefined,
  };
}

/**
 * The dead letter of a delivery that is no event, or of one whose time is wrong, under a key that
 * no event has.
 */
export function rejectedEntry(
  delivery: Delivery,
  { reason }: Pick<Rejection, "reason">,
  source: string,
  read?: ReadEvent,
): NewEntry {
  return {
    key: rejectedKey(source, delivery.body),
    kind: read === undefined ? null : storedKind(read.envelope.event),
    eventTimestamp: read?.timestamp ?? null,
    state: "dead",
    reason,
    orderKey: null,
    delivery,
  };
}

export function storedKind(kind: string): string {
  return kind.slice(0, MAX_STORED_KIND);
}
