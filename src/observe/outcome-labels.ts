import { HookporterError, INBOX_ERROR_CODES } from "../base/errors.ts";
import { isEventKind } from "../event/kinds.ts";
import { REJECTION_REASONS } from "../event/rejection.ts";
import { UNFIT_REASONS } from "../inbox/new-entry.ts";
import { DEAD_REASONS } from "../inbox/reasons.ts";
import { DROPPED } from "../inbox/target-wait.ts";
import type { Outcome } from "../receiver/outcome.ts";
import { REFUSALS } from "../receiver/refusals.ts";
import { SIGNATURE_REASONS } from "../signature/signature-format.ts";
import { OTHER } from "./bounded-label.ts";

export interface OutcomeLabels {
  readonly outcome: Outcome["type"] | "duplicate";
  /** A stable code; empty if there is none. */
  readonly reason: string;
}

/**
 * The labels that are there from the start, with 0: an increase from nothing to 1 is none to
 * Prometheus.
 */
export const KNOWN_OUTCOMES: readonly OutcomeLabels[] = [
  { outcome: "accepted", reason: "" },
  ...UNFIT_REASONS.map((reason) => ({ outcome: "accepted", reason }) as const),
  { outcome: "duplicate", reason: "" },
  ...Object.keys(REJECTION_REASONS).map((reason) => ({ outcome: "rejected", reason }) as const),
  ...Object.keys(SIGNATURE_REASONS).map((reason) => ({ outcome: "unauthorized", reason }) as const),
  ...Object.keys(REFUSALS).map((reason) => ({ outcome: "refused", reason }) as const),
  ...["closed", ...INBOX_ERROR_CODES].map(
    (reason) => ({ outcome: "unavailable", reason }) as const,
  ),
  { outcome: "misconfigured", reason: "error" },
];

/**
 * The reasons of dead letters that are there from the start. What a person drops is no dead letter
 * of this process.
 */
export const KNOWN_DEAD: readonly string[] = Object.keys(DEAD_REASONS).filter(
  (reason) => reason !== DROPPED,
);

export function labelsOf(outcome: Outcome): OutcomeLabels {
  if ("duplicate" in outcome && outcome.duplicate) return { outcome: "duplicate", reason: "" };
  return {
    outcome: outcome.type,
    reason: reasonOf(outcome) ?? ("error" in outcome ? "error" : ""),
  };
}

/**
 * Why an outcome is not the best one, as a stable code; `undefined` also for an error without one.
 */
export function reasonOf(outcome: Outcome): string | undefined {
  if (outcome.type === "rejected") return outcome.rejection.reason;
  if ("error" in outcome)
    return outcome.error instanceof HookporterError ? outcome.error.code : undefined;
  return outcome.reason;
}

/** The reason of the dead letter that a delivery has become, if it has. */
export function deadReasonOf(outcome: Outcome): string | undefined {
  const isNew = (outcome.type === "accepted" || outcome.type === "rejected") && !outcome.duplicate;
  return isNew ? reasonOf(outcome) : undefined;
}

/** The label for a kind: one of the 12, or `other`, since a sender may invent any number. */
export function kindLabel(kind: string | null): string {
  return kind !== null && isEventKind(kind) ? kind : OTHER;
}
