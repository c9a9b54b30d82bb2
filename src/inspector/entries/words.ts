import { ENTRY_STATES, type EntryState } from "../../inbox/entry.ts";
import type { TextAlternatives } from "../../inbox/entry-filter.ts";
import { REASON_WORDS } from "../../inbox/reasons.ts";

/** The words for a state on the page: the first one is the usual one. */
const STATE_WORDS: Readonly<Record<EntryState, readonly string[]>> = {
  pending: ["waiting", "retrying"],
  running: ["running"],
  done: ["handled"],
  dead: ["dead", "failed", "dropped"],
  unhandled: ["received"],
};

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
