import type { ContestantName } from "../contestants/all.ts";
import { median, spread } from "../numbers.ts";
import type { Round } from "../stage.ts";

/** A contestant's result under one load: the median of its rounds. */
export interface Measured extends Round {
  readonly contestant: ContestantName;
  /** Bytes of a body. */
  readonly size: number;
  readonly connections: number;
  /** Entries in the inbox beforehand. */
  readonly entries: number;
  readonly rounds: readonly Round[];
  /** The spread of the rounds' throughputs, as a share of their median. */
  readonly spread: number;
}

/** The median of each number over several rounds. */
export function measured(
  what: Pick<Measured, "contestant" | "size" | "connections" | "entries">,
  rounds: readonly Round[],
): Measured {
  const middle = (of: keyof Round) => median(rounds.map((round) => round[of]));
  return {
    ...what,
    perSecond: middle("perSecond"),
    p50: middle("p50"),
    p99: middle("p99"),
    cpu: middle("cpu"),
    lagP99: middle("lagP99"),
    rss: middle("rss"),
    rounds: rounds.map(({ perSecond, p50, p99, cpu, lagP99, rss }) => ({
      perSecond,
      p50,
      p99,
      cpu,
      lagP99,
      rss,
    })),
    spread: spread(rounds.map(({ perSecond }) => perSecond)),
  };
}

/** The numbers of a round in which contestants are compared. */
export type Comparable = "perSecond" | "p50" | "p99" | "cpu";

/** Compares two contestants: the median of the ratios of rounds that ran side by side. */
export function ratio(a: Measured, b: Measured, of: Comparable = "perSecond"): number {
  return median(a.rounds.map((round, index) => round[of] / (b.rounds[index]?.[of] ?? Number.NaN)));
}
