import type { Row } from "../../api.ts";

/**
 * The state's word with a mark. Marks differ in shape too, so that colour is not the only
 * difference.
 */
export function StateWord({ row }: { row: Row }) {
  const word = row.type === "refusal" ? row.word : row.state;
  return <span class={`state ${word}`}>{word}</span>;
}
