import type { Row } from "../api.ts";

/** The words for entries' states, as in the terminal. An entry that nothing handles was received, which is no failure. */
export const STATE_WORDS = {
  done: "handled",
  unhandled: "received",
  pending: "waiting",
  running: "running",
  dead: "dead",
} as const;

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
