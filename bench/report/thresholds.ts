import type { ContestantName } from "../contestants/all.ts";
import { type Comparable, ratio } from "../sections/measured.ts";
import type { Judged } from "./judged.ts";
import type { Report } from "./report.ts";

/** How two contestants must compare in one run of the form `minute`. */
export interface Threshold {
  readonly one: ContestantName;
  readonly other: ContestantName;
  readonly of: Comparable;
  readonly least?: number;
  readonly most?: number;
}

const NODE = "hookporter node";

/**
 * A tenth to a fifth worse than measured with Node 24, so that no change costs more unseen. Processor time is compared with
 * others, since that ratio depends least on the machine and on what else runs there.
 */
export const THRESHOLDS: readonly Threshold[] = [
  { one: NODE, other: "octokit", of: "cpu", most: 1.7 },
  { one: NODE, other: "node:http bare", of: "cpu", most: 3 },
  { one: "hookporter express", other: "express plain", of: "cpu", most: 1.5 },
  { one: NODE, other: "hookporter node, no schemas", of: "cpu", most: 1.1 },
  { one: "hookporter node, no schemas", other: "hookporter node, received only", of: "cpu", most: 1.5 },
  { one: "hookporter node, order keys", other: NODE, of: "perSecond", least: 0.68 },
];

/**
 * Compares a run with the thresholds.
 *
 * @throws Error if it did not measure a contestant
 */
export function judgeThresholds(
  { loads = [] }: Report,
  thresholds: readonly Threshold[] = THRESHOLDS,
): readonly Judged[] {
  const measured = (name: ContestantName) => {
    const found = loads.find(({ contestant }) => contestant === name);
    if (found === undefined) throw new Error(`expected the run to measure ${name}, got a run without it`);
    return found;
  };
  return thresholds.map(({ one, other, of, least = 0, most = Number.POSITIVE_INFINITY }) => {
    const got = ratio(measured(one), measured(other), of);
    const wanted = least > 0 ? `≥ ${least}` : `≤ ${most}`;
    const what = of === "cpu" ? "processor time" : "deliveries per second";
    return { goal: `${one} × ${other}, ${what}`, wanted, got, reached: got >= least && got <= most };
  });
}
