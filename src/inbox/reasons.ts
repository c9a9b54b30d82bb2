import { REJECTION_REASONS } from "../event/rejection.ts";
import { PAUSED, retryOf } from "./pause.ts";
import { AWAITS_HANDLER, NO_HANDLER } from "./runner.ts";
import { DROPPED, TARGET_AWAY } from "./target-wait.ts";

/** Why an entry is dead, in words. Listed in `docs/reference/answers.md`. */
export const DEAD_REASONS = {
  ...REJECTION_REASONS,
  invalid_data: "its data does not fit its schema",
  schema_failed: "the schema of its kind failed",
  inexact_number: "it has a number that a double does not hold",
  unreadable: "its delivery can no longer be read",
  attempts_exhausted: "every attempt failed",
  refused_for_good: "its target refused it for good",
  waited_too_long: "its target did not answer for too long",
  [DROPPED]: "dropped by hand",
} as const;

/** Why an entry waits, or was received and not run, in words. Listed on the same page. */
export const WAITING_REASONS = {
  [TARGET_AWAY]: "its target does not answer",
  tx_busy: "waits for a free transaction",
  [NO_HANDLER]: "no handler for this event",
  [AWAITS_HANDLER]: "waits for a process with a handler",
  [PAUSED]: "paused by hand",
} as const;

export type DeadReason = keyof typeof DEAD_REASONS;

export type WaitingReason = keyof typeof WAITING_REASONS;

/**
 * The reason of a handled entry of which only the dedup key is left, so that its event is not taken
 * for new.
 */
export const ERASED = "erased";

export const REASON_WORDS: Readonly<Record<string, string>> = {
  ...DEAD_REASONS,
  ...WAITING_REASONS,
  [ERASED]: "erased by hand",
};

/** A reason in words; one of another version as its code says. */
export function reasonWords(reason: string): string {
  const retry = retryOf(reason);
  if (retry !== undefined) return `waits for its time in retry ${retry}`;
  return Object.hasOwn(REASON_WORDS, reason)
    ? (REASON_WORDS[reason] ?? reason)
    : reason.replaceAll("_", " ");
}
