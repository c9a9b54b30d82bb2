import type { EntryState } from "../../inbox/entry-state.ts";

/** Milliseconds that `--wait` and `events wait` wait. */
export const WAIT = 30_000;

/** The states in which something can be said of an entry. */
export const DECIDED = ["handled", "failing", "dead", "received"] as const satisfies readonly EntryState[];
