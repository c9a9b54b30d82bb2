import { diffArrays } from "diff";

export interface DiffLine {
  readonly change: "same" | "added" | "removed";
  readonly text: string;
}

/**
 * The maximum number of lines that change; above it, all count as replaced, as a comparison would
 * take too long.
 */
const MOST = 2000;

/**
 * Compares two texts line by line, with the fewest added and removed lines. Ignores a comma at the
 * end of a line.
 */
export function diffLines(
  before: readonly string[],
  after: readonly string[],
): readonly DiffLine[] {
  const comparator = (a: string, b: string) => plain(a) === plain(b);
  const found = diffArrays([...before], [...after], { comparator, maxEditLength: MOST });
  const replaced = [
    { removed: true, added: false, value: before },
    { removed: false, added: true, value: after },
  ];
  return (found ?? replaced).flatMap(({ added, removed, value }) =>
    value.map((text) => ({ change: added ? "added" : removed ? "removed" : "same", text })),
  );
}

function plain(line: string): string {
  return line.replace(/,$/, "");
}
