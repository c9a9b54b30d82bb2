import { expect, it } from "vitest";
import { judgeGoals } from "../../../../tools/bench/report/goals.ts";
import type { Report } from "../../../../tools/bench/report/report.ts";
import { emptyReport, roundsOf } from "../results.ts";

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

it("rounds that ran side by side are compared", () => {
  expect(judged({ ...emptyReport(), loads }, /: Express adapter × plain/)?.got).toBe(1.5);
});

it.each(["v20.20.2", "v22.22.0"])(
  "the goal is 2.6 times plain Express on %s, which swaps prototypes",
  (node) => {
    const goal = judged({ ...emptyReport(node), loads }, /: Express adapter × plain/);
    expect(goal).toMatchObject({ wanted: "≥ 2.6", reached: false });
  },
);

it.each(["v24.21.0", "v26.0.0"])(
  "the goal is the speed of plain Express on %s, on which that is fast",
  (node) => {
    const goal = judged({ ...emptyReport(node), loads }, /: Express adapter × plain/);
    expect(goal).toMatchObject({ wanted: "≥ 1", reached: true });
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
        days: { days: 34, ratio: 1 },
      },
      days: { entries: 20_000, dropped: 100, deleted: 2000, ratio: 20 },
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

it("goals of unmeasured sections are omitted", () => {
  expect(judgeGoals(emptyReport())).toEqual([]);
  expect(
    judgeGoals({
      ...emptyReport(),
      slowDisk: { leftOut: "no strace" },
      postgres: { leftOut: "none here" },
    }),
  ).toEqual([]);
});

it("a profiled run is not compared with goals", () => {
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
