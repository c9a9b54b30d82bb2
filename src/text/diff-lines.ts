export interface DiffLine {
  readonly change: "same" | "added" | "removed";
  readonly text: string;
}

/** The maximum number of table cells; above it, everything that differs counts as replaced. */
const MAX_CELLS = 4_000_000;

/** Compares two texts line by line, with the fewest added and removed lines. Ignores a comma at the end of a line. */
export function diffLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const same = (one: string | undefined, other: string | undefined) => plain(one) === plain(other);
  let start = 0;
  while (start < before.length && start < after.length && same(before[start], after[start])) start++;
  let end = 0;
  const left = () => Math.min(before.length, after.length) - start;
  while (end < left() && same(before[before.length - 1 - end], after[after.length - 1 - end])) end++;
  const removed = before.slice(start, before.length - end);
  const added = after.slice(start, after.length - end);
  const middle =
    removed.length * added.length > MAX_CELLS ? replaced(removed, added) : compared(removed, added, same);
  const unchanged = (lines: readonly string[]) => lines.map((text): DiffLine => ({ change: "same", text }));
  return [...unchanged(after.slice(0, start)), ...middle, ...unchanged(after.slice(after.length - end))];
}

function compared(
  removed: readonly string[],
  added: readonly string[],
  same: (one: string | undefined, other: string | undefined) => boolean,
): DiffLine[] {
  const width = added.length + 1;
  // The number of common lines in the remainders from (row, column) on.
  const common = new Uint32Array((removed.length + 1) * width);
  const at = (row: number, column: number) => common[row * width + column] ?? 0;
  for (let row = removed.length - 1; row >= 0; row--) {
    for (let column = added.length - 1; column >= 0; column--) {
      common[row * width + column] = same(removed[row], added[column])
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const lines: DiffLine[] = [];
  let row = 0;
  let column = 0;
  while (row < removed.length && column < added.length) {
    if (same(removed[row], added[column])) {
      lines.push({ change: "same", text: added[column] ?? "" });
      row++;
      column++;
    } else if (at(row + 1, column) >= at(row, column + 1)) {
      lines.push({ change: "removed", text: removed[row++] ?? "" });
    } else lines.push({ change: "added", text: added[column++] ?? "" });
  }
  return [...lines, ...replaced(removed.slice(row), added.slice(column))];
}

function replaced(removed: readonly string[], added: readonly string[]): DiffLine[] {
  return [
    ...removed.map((text): DiffLine => ({ change: "removed", text })),
    ...added.map((text): DiffLine => ({ change: "added", text })),
  ];
}

function plain(line: string | undefined): string | undefined {
  return line?.replace(/,$/, "");
}
