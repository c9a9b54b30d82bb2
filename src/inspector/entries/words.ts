import { REJECTION_REASONS } from "../../event/rejection.ts";
import { ENTRY_STATES, type EntryState } from "../../inbox/entry.ts";
import type { TextAlternatives } from "../../inbox/entry-filter.ts";
import { AWAITS_HANDLER, NO_HANDLER } from "../../inbox/runner.ts";
import { DROPPED, TARGET_AWAY } from "../../inbox/target-wait.ts";

/** The words for a state on the page: the first one is the usual one. */
const STATE_WORDS: Readonly<Record<EntryState, readonly string[]>> = {
  pending: ["waiting", "retrying"],
  running: ["running"],
  done: ["handled"],
  dead: ["dead", "failed", "dropped"],
  unhandled: ["received"],
};

/** Why an entry is not handled, by its reason's code. */
const REASON_WORDS: Readonly<Record<string, string>> = {
  ...REJECTION_REASONS,
  [DROPPED]: "dropped by hand",
  [TARGET_AWAY]: "its target does not answer",
  [AWAITS_HANDLER]: "waits for a process with a handler",
  [NO_HANDLER]: "no handler for this kind",
  invalid_data: "its data does not fit its schema",
  attempts_exhausted: "every attempt failed",
  waited_too_long: "its target did not answer for too long",
  refused_for_good: "its target refused it for good",
  unreadable: "its delivery can no longer be read",
  tx_busy: "waits for a free transaction",
};

/** A reason in words. */
export function reasonWords(reason: string): string {
  return Object.hasOwn(REASON_WORDS, reason) ? (REASON_WORDS[reason] ?? reason) : reason.replaceAll("_", " ");
}

/** A shorter text names no state and no reason. */
const MIN_WORD = 3;

/** What a typed text names besides what is stored: a state or a reason in words, or an entry's number. */
export function namedBy(text: string): TextAlternatives {
  const wanted = text.trim().toLowerCase();
  const seqs = /^\d{1,15}$/.test(wanted) ? [Number(wanted)] : [];
  if (wanted.length < MIN_WORD) return { seqs };
  const states = ENTRY_STATES.filter((state) =>
    [state, ...STATE_WORDS[state]].some((word) => word.startsWith(wanted)),
  );
  const reasons = Object.entries(REASON_WORDS).flatMap(([reason, words]) =>
    words.toLowerCase().includes(wanted) ? [reason] : [],
  );
  return { states, reasons, seqs };
}
