import type { EntryState } from "../../inbox/entry-state.ts";
import type { Output } from "../output.ts";
import { commaList, readChoice } from "../settings/values.ts";

/** The words for states before 1.0, and those that replaced them. */
const OLD_WORDS = {
  pending: ["waiting", "failing"],
  done: ["handled"],
  unhandled: ["received"],
} as const satisfies Record<string, readonly EntryState[]>;

type OldWord = keyof typeof OLD_WORDS;

/** A state as it was given: an old word is accepted too. */
export type GivenState = EntryState | OldWord;

/** Reads a comma-separated list of the given states, or of old words for them; a repeated flag adds to it. */
export function readStates<State extends EntryState>(states: readonly State[]) {
  const readState = readChoice(states);
  const isKnown = (state: EntryState) => states.some((known) => known === state);
  const readOne = (text: string): GivenState =>
    isOld(text) && OLD_WORDS[text].some(isKnown) ? text : readState(text);
  return commaList(readOne, { words: states });
}

/** The states that are meant; a line on stderr names those that replaced an old word. */
export function statesOf(given: readonly GivenState[], output: Output): readonly EntryState[] {
  for (const word of given)
    if (isOld(word)) output.talk(`the state ${word} is now called ${meaningOf(word).join(" or ")}`);
  return [...new Set(given.flatMap(meaningOf))];
}

export function meaningOf(word: GivenState): readonly EntryState[] {
  return isOld(word) ? OLD_WORDS[word] : [word];
}

function isOld(word: string): word is OldWord {
  return Object.hasOwn(OLD_WORDS, word);
}
