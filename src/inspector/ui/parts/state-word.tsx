import type { Row } from "../../api.ts";
import { STATE_WORDS } from "./state-words.ts";

/** The word for a delivery's state. */
export function wordOf(row: Row): string {
  if (row.type === "refusal") return row.word;
  const { state, attempts, reason } = row;
  const hasFailed = state === "pending" && attempts > 0 && reason !== "target_away";
  return hasFailed ? "retrying" : STATE_WORDS[state];
}

/** The state's word with a mark. Marks differ in shape too, so that colour is not the only difference. */
export function StateWord({ row }: { row: Row }) {
  const state = row.type === "refusal" ? row.word : row.state;
  return <span class={`state ${state}`}>{wordOf(row)}</span>;
}
