import type { ContestantName } from "../../../tools/bench/contestants/all.ts";
import type { Report } from "../../../tools/bench/report/report.ts";
import type { Compared } from "../../../tools/bench/sections/against.ts";
import { type Measured, measured } from "../../../tools/bench/sections/measured.ts";

/**
 * One contestant's answers per second in several rounds; all other numbers are the same for all.
 */
export function roundsOf(
  contestant: ContestantName,
  { rates, ...what }: { rates: readonly number[]; connections: number; entries?: number },
): Measured {
  const rest = { p50: 1, p99: 2, cpu: 10, lagP99: 1, rss: 100 };
  const load = { contestant, size: 600, entries: 0, ...what };
  return measured(
    load,
    rates.map((perSecond) => ({ perSecond, ...rest })),
  );
}

/** Both builds of a contestant, by what it does now × before. */
export function comparedOf(contestant: ContestantName, speed: number, cpu = 1 / speed): Compared {
  const of = (rate: number, micros: number) => {
    const measured = roundsOf(contestant, { rates: [rate, rate], connections: 64 });
    return {
      ...measured,
      cpu: micros,
      rounds: measured.rounds.map((round) => ({ ...round, cpu: micros })),
    };
  };
  return { now: of(1000 * speed, 100 * cpu), before: of(1000, 100) };
}

/** An empty report of a run on a given Node. */
export function emptyReport(node = "v20.20.2"): Report {
  return {
    form: "short",
    at: "2026-01-01T00:00:00.000Z",
    machine: {
      processor: "some",
      cores: 2,
      memoryGb: 8,
      system: "linux 6",
      node,
      benchNode: "v20.20.2",
      sqlite: "3.53.0",
      generator: "wrk",
      placement: "not pinned",
      loadBefore: 0,
      build: "0123456789ab",
      versions: { hookporter: "0.1.0" },
    },
  };
}
