/** The states of an entry, one word each, in the order of its life: what people and programs see everywhere. */
export const ENTRY_STATES = {
  waiting: "kept, not yet tried",
  failing: "the last attempt failed; another one will follow",
  running: "its handlers are running",
  handled: "all its handlers succeeded",
  dead: "does not run again unless it is retried; it has a reason",
  received: "kept; there was no handler for its kind",
} as const;

/** An entry's state, as people and programs see it. */
export type EntryState = keyof typeof ENTRY_STATES;

export const STATE_WORDS = Object.keys(ENTRY_STATES) as readonly EntryState[];

/** What a store calls a state; it has one name for those that it need not tell apart. */
const STORED = {
  waiting: "pending",
  failing: "pending",
  running: "running",
  handled: "done",
  dead: "dead",
  received: "unhandled",
} as const satisfies Record<EntryState, string>;

/**
 * An entry's state in an inbox. `pending` waits for `runAt`; `running` is leased until `runAt`; `done` succeeded; `dead` will
 * not run again unless retried; `unhandled` had no handler when it was due, and can be retried once it has one.
 */
export type StoredState = (typeof STORED)[EntryState];

/** The word for each stored state that has only one. */
const WORDS = Object.fromEntries(STATE_WORDS.map((word) => [STORED[word], word])) as Readonly<
  Record<StoredState, EntryState>
>;

/** Every stored state, in the order of an entry's life. */
export const STORED_STATES: readonly StoredState[] = [...new Set(Object.values(STORED))];

/** How far an entry has got, as a number: handled > dead > received > failing > waiting. */
export function progressOf({ state, attempts }: Pick<StateFacts, "state" | "attempts">): number {
  const ended = ["unhandled", "dead", "done"].indexOf(state);
  return ended === -1 ? Math.min(attempts, 1) : 2 + ended;
}

/** What decides which word an entry has. */
export interface StateFacts {
  readonly state: StoredState;
  readonly attempts: number;
  readonly reason: string | null;
}

/** The state of a stored entry. One that waits for something, such as a target, has a reason, however often it was tried. */
export function entryState({ state, attempts, reason }: StateFacts): EntryState {
  if (state === "pending") return attempts > 0 && reason === null ? "failing" : "waiting";
  return WORDS[state];
}

/** Whether an entry in this state runs again only if someone retries it. */
export function hasEnded(state: EntryState): boolean {
  return state === "handled" || state === "dead" || state === "received";
}

/** Which stored entries are in some states. */
export interface StoredIn {
  readonly states: readonly StoredState[];
  /** Of the pending ones, only those that failed (`true`), or only the others (`false`). Default: all. */
  readonly failing?: boolean;
}

/** How a store finds the entries that are in some states. */
export function storedIn(words: readonly EntryState[]): StoredIn {
  const states = [...new Set(words.map((word) => STORED[word]))];
  const failing = words.includes("failing");
  return failing === words.includes("waiting") ? { states } : { states, failing };
}
