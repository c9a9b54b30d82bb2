import { type DataProblem, problemLine } from "../../event/data-problems.ts";
import { printable } from "../printable.ts";

/** The number of problems that are printed one by one. */
const SHOWN = 5;

/** What does not fit a schema, as a few lines. */
export function problemLines(problems: readonly DataProblem[]): readonly string[] {
  const lines = problems.slice(0, SHOWN).map((problem) => printable(problemLine(problem), 300));
  const more = problems.length - lines.length;
  return [...lines, ...(more > 0 ? [`and ${more} more`] : [])];
}
