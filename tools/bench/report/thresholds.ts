import type { ContestantName } from "../contestants/all.ts";
import { type Comparable, type Measured, ratio } from "../sections/measured.ts";
import type { Judged } from "./judged.ts";
import type { Report } from "./report.ts";

/** What the ratio of two results may be. */
interface Limit {
  readonly of: Comparable;
  readonly least?: number;
  readonly most?: number;
}

/** How two contestants must compare in one run of the form `minute`. */
export interface Threshold extends Limit {
  readonly one: ContestantName;
  readonly other: ContestantName;
}

const NODE = "hookporter node";

/**
 * Wide enough for every machine. The same code took 1.40 times octokit's processor time on a slow
 * one and 2.13 to 2.46 times on fast ones with Node 20, 24 and 26, up to 3.2 times the bare
 * server's and 2.31 times plain Express's; order keys made 0.77 to 0.84. So these only notice that
 * a delivery became about twice as expensive, even in many small steps; `--against` notices a tenth
 * in one.
 */
export const THRESHOLDS: readonly Threshold[] = [
  { one: NODE, other: "octokit", of: "cpu", most: 2.8 },
  { one: NODE, other: "node:http bare", of: "cpu", most: 4.5 },
  { one: "hookporter express", other: "express plain", of: "cpu", most: 2.6 },
  { one: NODE, other: "hookporter node, no schemas", of: "cpu", most: 1.3 },
  {
    one: "hookporter node, no schemas",
    other: "hookporter node, received only",
    of: "cpu",
    most: 1.8,
  },
  { one: "hookporter node, order keys", other: NODE, of: "perSecond", least: 0.5 },
];

/**
 * The most that a change may cost a contestant: a tenth. p99 differs too much from run to run to be
 * judged.
 */
const CHANGE: readonly Limit[] = [
  { of: "perSecond", least: 0.9 },
  { of: "cpu", most: 1.1 },
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
    if (found === undefined)
      throw new Error(`expected the run to measure ${name}, got a run without it`);
    return found;
  };
  return thresholds.map(({ one, other, ...limit }) =>
    judgeRatio(`${one} × ${other}`, [measured(one), measured(other)], limit),
  );
}

/**
 * Compares this build with the one before.
 *
 * @throws Error if they were not measured
 */
export function judgeAgainst({ against }: Report): readonly Judged[] {
  if (against === undefined)
    throw new Error("expected the run to measure another build, got a run without it");
  return against.compared.flatMap(({ now, before }) =>
    CHANGE.map((limit) => judgeRatio(`${now.contestant}, now × before`, [now, before], limit)),
  );
}

function judgeRatio(
  goal: string,
  [first, second]: readonly [Measured, Measured],
  { of, least = 0, most = Number.POSITIVE_INFINITY }: Limit,
): Judged {
  const got = ratio(first, second, of);
  const wanted = least > 0 ? `≥ ${least}` : `≤ ${most}`;
  const what = of === "cpu" ? "processor time" : "deliveries per second";
  return { goal: `${goal}, ${what}`, wanted, got, reached: got >= least && got <= most };
}
