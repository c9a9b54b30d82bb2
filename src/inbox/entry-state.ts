/**
 * The states of an entry, one word each, in the order of its life: in stores, and for people and
 * programs.
 */
export const ENTRY_STATES = {
  waiting: "kept, not yet tried",
  failing: "the last attempt failed; another one will follow",
  running: "its handlers are running",
  handled: "all its handlers succeeded",
  dead: "does not run again unless it is retried; it has a reason",
  received: "kept; there was no handler for its kind",
} as const;

/** An entry's state. */
export type EntryState = keyof typeof ENTRY_STATES;

export const STATE_WORDS = Object.keys(ENTRY_STATES) as readonly EntryState[];

/** The states of an entry that has not ended. */
export const OPEN_STATES: readonly EntryState[] = ["waiting", "failing", "running"];

/** The states of an entry that runs again only if someone retries it. */
export type EndedState = "handled" | "dead" | "received";

export function hasEnded(state: EntryState): state is EndedState {
  return state === "handled" || state === "dead" || state === "received";
}

/**
 * The state of an entry that will run. One that waits for something, such as a target, has a
 * reason, however often it was tried.
 */
export function stateBeforeRun(attempts: number, reason: string | null): "waiting" | "failing" {
  return attempts > 0 && reason === null ? "failing" : "waiting";
}

/** How far an entry has got, as a number: handled > dead > received > tried > not tried. */
export function progressOf({
  state,
  attempts,
}: {
  readonly state: EntryState;
  readonly attempts: number;
}) {
  const ended = ["received", "dead", "handled"].indexOf(state);
  return ended === -1 ? Math.min(attempts, 1) : 2 + ended;
}
