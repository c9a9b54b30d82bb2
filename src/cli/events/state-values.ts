import type { EntryState } from "../../inbox/entry-state.ts";
import { commaList, readChoice } from "../settings/values.ts";

/** Reads a comma-separated list of the given states; a repeated flag adds to it. */
export function readStates<State extends EntryState>(states: readonly State[]) {
  return commaList(readChoice(states), { words: states });
}
