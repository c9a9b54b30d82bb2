import type { Row } from "../../api.ts";

export function wordOf(row: Row): string {
  return row.type === "refusal" ? row.word : row.state;
}

/** The state's word with a mark. Marks differ in shape too, so that colour is not the only difference. */
export function StateWord({ row }: { row: Row }) {
  return <span class={`state ${wordOf(row)}`}>{wordOf(row)}</span>;
}
