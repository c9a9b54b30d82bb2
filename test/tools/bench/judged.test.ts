import { expect, it } from "vitest";
import { MINUTE } from "../../../tools/bench/form.ts";
import { compareText } from "../../../tools/bench/report/compare-text.ts";
import { exitCodeOf, judge, judgeGoals } from "../../../tools/bench/report/goals.ts";
import type { Report } from "../../../tools/bench/report/report.ts";
import { reportText } from "../../../tools/bench/report/text.ts";
import { THRESHOLDS } from "../../../tools/bench/report/thresholds.ts";
import { COMPARED, type Compared } from "../../../tools/bench/sections/against.ts";
import { comparedOf, emptyReport, roundsOf } from "./results.ts";

const loads = [
  roundsOf("hookporter express, received only", { rates: [1500, 3000], connections: 64 }),
  roundsOf("express plain", { rates: [1000, 2000], connections: 64 }),
];
const slowDisk = {
  addedMs: 1,
  loneMs: 1.5,
  measured: [
    roundsOf("hookporter express", { rates: [2100], connections: 256 }),
    roundsOf("express plain", { rates: [1000], connections: 256 }),
  ],
};

function judged(report: Report, goal: RegExp) {
  return judgeGoals(report).find((judgeGoal) => goal.test(judgeGoal.goal));
}

it.each([
  // which swap prototypes
  ["v20.20.2", "≥ 2.6", false],
  ["v22.22.0", "≥ 2.6", false],
  // on which plain Express is fast
  ["v24.21.0", "≥ 1", true],
  ["v26.0.0", "≥ 1", true],
])(
  "rounds that ran side by side are compared, on %s with a goal of %s",
  (node, wanted, reached) => {
    const goal = judged({ ...emptyReport(node), loads }, /: Express adapter × plain/);
    expect(goal).toMatchObject({ got: 1.5, wanted, reached });
  },
);

it("a slow disk is compared with the speed of Express on Node 20, for which its goal was set", () => {
  const goal = /slower flushes/;
  expect(judged({ ...emptyReport("v20.20.2"), slowDisk }, goal)).toMatchObject({
    got: 2.1,
    reached: true,
  });
  expect(judged({ ...emptyReport("v24.21.0"), slowDisk }, goal)).toBeUndefined();
});

it("on PostgreSQL, keeping is to be 5 times an insert each in an empty inbox, and 3 times in a large one", () => {
  const keeping = [0, 100_000].map((entries) => ({ entries, batched: 4000, each: 1000, ratio: 4 }));
  const http = { postgres: 9, sqlite: 10, plain: 3, ofSqlite: 0.9, ofPlain: 3, p99OfSqlite: 1 };
  const report = {
    ...emptyReport(),
    postgres: {
      keeping,
      http: { ...http, aged: { entries: 100_000, ratio: 0.7 } },
      wakeUp: { p50: 7, notify: 0.9, notifyOfEach: 0.6 },
      claims: {
        pinned: { entries: 80_000, ms: 6 },
        behind: { entries: 20_000, ms: 12 },
        walKb: 2,
        vacuumed: { entries: 20_000, ms: 3 },
      },
      pruning: { entries: 20_000, perSecond: 3000, ratio: 0.9 },
      processes: [{ processes: 1, perSecond: 5000 }],
    },
  };
  const missed = judgeGoals(report).filter(({ reached }) => !reached);
  expect(missed.map(({ goal, wanted }) => `${goal} ${wanted}`)).toEqual([
    "PostgreSQL: keep in batches × an insert each, 0 entries ≥ 5",
    "PostgreSQL: 100000 entries × empty ≥ 0.8",
    "PostgreSQL: claim behind 20000 entries of one order key, ms ≤ 10",
  ]);
});

it("goals of unmeasured sections are omitted, and a profiled run is compared with none", () => {
  expect(judgeGoals(emptyReport())).toEqual([]);
  const leftOut = { slowDisk: { leftOut: "no strace" }, postgres: { leftOut: "none here" } };
  expect(judgeGoals({ ...emptyReport(), ...leftOut })).toEqual([]);
  expect(judgeGoals({ ...emptyReport(), profiles: [] })).toEqual([]);
});

const floor = { loneBytes: 20_000, pwriteMs: 0.02, flushMs: 0.1, hmacMicros: 3, parseMicros: 3 };
const fast = { ...floor, barePerSecond: 50_000 };
const slow = { ...floor, barePerSecond: 15_000 };

it("ratios of throughput are goals of fast machines only", () => {
  const goal = /: Express adapter × plain/;
  expect(judged({ ...emptyReport(), loads, floor: fast }, goal)?.reached).toBe(false);
  expect(judged({ ...emptyReport(), loads, floor: slow }, goal)?.reached).toBeUndefined();
});

it("a lone delivery may take as much longer than without a store as 2 writes and flushes", () => {
  const lone = (durable: number) => [
    {
      ...roundsOf("hookporter node, received only", { rates: [1000], connections: 1 }),
      p50: durable,
    },
    { ...roundsOf("hookporter node, no store", { rates: [3000], connections: 1 }), p50: 0.05 },
  ];
  const goal = /one connection/;
  expect(judged({ ...emptyReport(), loads: lone(0.24), floor: slow }, goal)).toMatchObject({
    reached: true,
  });
  expect(judged({ ...emptyReport(), loads: lone(0.26), floor: slow }, goal)).toMatchObject({
    reached: false,
  });
  expect(judged({ ...emptyReport(), loads: lone(0.26) }, goal)).toBeUndefined();
});

it("a delivery may take 1.7 times octokit's processor time, compared by round", () => {
  const thread = { rows: {}, unsampled: 0, cpu: 0, flushMs: 0 };
  const costs = { kernel: 0, receiving: thread, helpers: 0, cpu: 0 };
  const account = [
    { contestant: "hookporter node, received only", rounds: [90, 180], ...costs },
    { contestant: "hookporter node", rounds: [180, 360], ...costs },
    { contestant: "octokit", rounds: [100, 200], ...costs },
  ] as const;
  expect(judged({ ...emptyReport(), account }, /octokit's/)).toMatchObject({
    got: 1.8,
    reached: false,
  });
});

/**
 * A run of the form `minute` in which every contestant costs 10 µs and makes 1000 a second, apart
 * from some.
 */
function minute(rates: Readonly<Record<string, number>> = {}) {
  const [{ contestants }] = MINUTE.loads as [(typeof MINUTE.loads)[number]];
  const loads = contestants.map((name) =>
    roundsOf(name, { rates: [rates[name] ?? 1000], connections: 64 }),
  );
  return { ...emptyReport(), form: "minute", loads } as const;
}

it("the form of a minute measures every contestant of a threshold, and is judged by them alone", () => {
  expect(judge(minute())).toHaveLength(THRESHOLDS.length);
  expect(exitCodeOf(minute())).toBe(0);
});

it("a missed threshold fails the run", () => {
  const slow = minute({ "hookporter node, order keys": 400 });
  expect(judge(slow).filter(({ reached }) => !reached)).toMatchObject([
    { wanted: "≥ 0.5", got: 0.4 },
  ]);
  expect(exitCodeOf(slow)).toBe(1);
  expect(exitCodeOf({ ...slow, form: "short" })).toBe(0); // which has other goals
});

it("a run without one of the contestants cannot pass", () => {
  expect(() => exitCodeOf({ ...emptyReport(), form: "minute", loads: [] })).toThrow(
    /to measure hookporter node/,
  );
});

/** A run beside another build, in which all is as before, apart from some contestants. */
function against(...changed: readonly Compared[]) {
  const compared = COMPARED.map(
    (name) => changed.find(({ now }) => now.contestant === name) ?? comparedOf(name, 1),
  );
  const before = { version: "0.9.0", build: "fedcba987654" };
  return { ...emptyReport(), form: "against", against: { before, compared } } as const;
}

it("a build that is as fast as the one before passes, judged in two numbers of every contestant", () => {
  expect(judge(against())).toHaveLength(2 * COMPARED.length);
  expect(exitCodeOf(against())).toBe(0);
});

it.each([
  { speed: 0.89, cpu: 1, missed: ["≥ 0.9"] },
  { speed: 1, cpu: 1.11, missed: ["≤ 1.1"] },
  { speed: 0.8, cpu: 1.25, missed: ["≥ 0.9", "≤ 1.1"] },
  { speed: 0.91, cpu: 1.09, missed: [] },
  { speed: 2, cpu: 0.5, missed: [] },
])(
  "$speed of the throughput with $cpu of the processor time misses $missed",
  ({ speed, cpu, missed }) => {
    const run = against(comparedOf("hookporter express", speed, cpu));
    const found = judge(run).filter(({ reached }) => !reached);
    expect(found.map(({ wanted }) => wanted)).toEqual(missed);
    expect(found.every(({ goal }) => goal.startsWith("hookporter express, "))).toBe(true);
    expect(exitCodeOf(run)).toBe(missed.length > 0 ? 1 : 0);
  },
);

it("one process that was unlucky does not fail a run: the median of the pairs counts", () => {
  const { now, before } = comparedOf("hookporter node", 1);
  const [round] = now.rounds;
  if (round === undefined) throw new Error("expected a round");
  const unlucky = [{ ...round, perSecond: 500, cpu: 200 }, round, round];
  expect(
    exitCodeOf(
      against({
        now: { ...now, rounds: unlucky },
        before: { ...before, rounds: [round, round, round] },
      }),
    ),
  ).toBe(0);
});

it("a run that did not measure the other build cannot pass", () => {
  expect(() => exitCodeOf({ ...emptyReport(), form: "against" })).toThrow(
    /to measure another build/,
  );
});

it("a row has each number before, now and compared", () => {
  const text = reportText(against(comparedOf("hookporter express", 0.5)));
  expect(text).toContain(
    "build 0123456789ab beside hookporter 0.9.0, build fedcba987654; medians of 2 pairs",
  );
  expect(text).toMatch(
    /\| hookporter express +\| +1 000 \| +500 \| +0\.500 \| +100 \| +200 \| +2\.00 \| +2\.00 \| +2\.00 \| +1\.00 \|/,
  );
});

it("runs on several Nodes show how the build changed on each", () => {
  const text = compareText([against(), against(comparedOf("hookporter node", 0.8))]);
  expect(text).toMatch(/hookporter node: processor time × before +\| +1\.00 \| +1\.25 \|/);
});
