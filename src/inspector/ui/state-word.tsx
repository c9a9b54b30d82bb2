import type { Row } from "../api.ts";

/** The word for what became of a delivery. */
function wordOf(row: Row): string {
  return row.type === "refusal" ? row.word : row.state;
}

/** That word with its mark; the mark differs in form too, so that nothing hangs on colour. */
export function StateWord({ row }: { row: Row }) {
  const word = wordOf(row);
  return <span class={`state ${word}`}>{word}</span>;
}
