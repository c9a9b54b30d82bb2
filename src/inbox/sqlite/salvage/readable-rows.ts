import type { Row } from "../../rows.ts";

/** A range of numbers, both ends included. */
export type Range = readonly [from: number, to: number];

export const STEP = 256;

/**
 * Reads the rows of a range of numbers. If a damaged page is in the way, the range is halved until
 * only what that page holds is left out.
 */
export function readableRows(
  read: (range: Range) => readonly Row[],
  [from, to]: Range,
  onLost: (seq: number) => void = () => {},
): readonly Row[] {
  try {
    return read([from, to]);
  } catch {
    if (from >= to) {
      onLost(from);
      return [];
    }
    const middle = Math.floor((from + to) / 2);
    return [
      ...readableRows(read, [from, middle], onLost),
      ...readableRows(read, [middle + 1, to], onLost),
    ];
  }
}

/** Ranges in order, those that touch as one. */
export function joined(ranges: readonly Range[]): readonly Range[] {
  const result: Range[] = [];
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = result.at(-1);
    if (last !== undefined && last[1] + 1 === from) result[result.length - 1] = [last[0], to];
    else result.push([from, to]);
  }
  return result;
}
