import fc from "fast-check";
import { expect, it } from "vitest";
import { compareText } from "../../../tools/bench/report/compare-text.ts";
import { growthPlot } from "../../../tools/bench/report/growth-plot.ts";
import { growthText } from "../../../tools/bench/report/growth-text.ts";
import { labelPlaces } from "../../../tools/bench/report/label-places.ts";
import { judgePeers, peersText } from "../../../tools/bench/report/peers.ts";
import { goOnFrom } from "../../../tools/bench/report/report.ts";
import { reportText } from "../../../tools/bench/report/text.ts";
import { emptyReport, roundsOf } from "./results.ts";

const pending = { entries: 1000, rss: 100 };
const replay = { fixtures: 10, perSecond: 8, generator: 10, ratio: 0.8 };

it("sections of the previous run are kept, unless measured again", () => {
  const earlier = { ...emptyReport(), pending, replay };
  const now = {
    ...emptyReport(),
    at: "2026-01-02T00:00:00.000Z",
    pending: { ...pending, rss: 90 },
  };
  expect(goOnFrom(earlier, now)).toEqual({ ...now, replay });
});

it.each([
  ["Node", emptyReport("v24.0.0")],
  ["form", { ...emptyReport(), form: "long" } as const],
  ["build", { ...emptyReport(), machine: { ...emptyReport().machine, build: "other" } }],
  [
    "version of a package",
    { ...emptyReport(), machine: { ...emptyReport().machine, versions: {} } },
  ],
])("a run of another %s is not continued", (_, earlier) => {
  expect(() => goOnFrom({ ...earlier, pending }, emptyReport())).toThrow(TypeError);
});

it("the measured Node is named, and a slow disk beside plain Express, or the reason why it was not measured", () => {
  const leftOut = { leftOut: "there is no strace" };
  const text = reportText({ ...emptyReport("v24.0.0"), slowDisk: leftOut });
  expect(text).toContain("Node v24.0.0 (the bench itself on v20.20.2)");
  expect(text).toContain("there is no strace");
  const measured = [
    roundsOf("hookporter express", { rates: [2100], connections: 256 }),
    roundsOf("express plain", { rates: [1000], connections: 256 }),
  ];
  const slowDisk = { addedMs: 1, loneMs: 1.5, measured };
  expect(reportText({ ...emptyReport(), slowDisk })).toMatch(
    /hookporter express +\| +2 100 \| +2\.10/,
  );
});

it("runs on several Nodes are shown side by side, each compared with its own peers", () => {
  const on = (node: string, rates: readonly number[]) => ({
    ...emptyReport(node),
    loads: [
      roundsOf("hookporter node", { rates, connections: 64 }),
      roundsOf("octokit", { rates: [1000, 2000], connections: 64 }),
    ],
  });
  const text = compareText([
    on("v20.20.2", [1000, 2000]),
    on("v24.1.0 --max-semi-space-size=32", [1500, 3000]),
  ]);
  expect(text).toContain("v24.1.0 --max-semi-space-size=32");
  expect(text).toMatch(/node adapter × octokit +\| +1\.00 \| +1\.50 \|/);
  expect(compareText([emptyReport()])).not.toContain("×");
});

const growth = [
  { what: "1 million entries", perSecond: 9000, p99: 12, ofEmpty: 0.95, p99OfEmpty: 1.1 },
  { what: "50 million entries", leftOut: "it needs 75 GB of disk, and 60 GB are free" },
];

it("a grown receiver is compared with an empty inbox, and the reason is given if it was not measured", () => {
  const text = growthText(growth);
  expect(text).toMatch(/1 million entries +\| +9 000 \| +0\.950 \| +12\.0 \| +1\.10 \|/);
  expect(text).toContain("skipped: it needs 75 GB of disk");
  expect(growthPlot(growth)).toMatch(/>1 million<.*\n.*>entries</);
  expect(growthPlot(growth)).not.toContain("50 million");
});

const round = {
  received: 9000,
  handled: 8000,
  p50: 5,
  p99: 9,
  cpu: 100,
  databaseCpu: 0,
  statements: Number.NaN,
  log: 4000,
};
const killed = { acknowledged: 1000, handled: 1000, seconds: 20 };
const ours = { ...round, what: "hookporter express, SQLite", killed };
const theirs = {
  ...round,
  what: "express with node:sqlite, SQLite",
  ours: { handled: 3.5, p99: 0.4 },
  killed: { ...killed, handled: 990 },
};

it("each peer is shown beside hookporter, with what it had not handled after it was killed", () => {
  const text = peersText([ours, theirs]);
  expect(text).toMatch(/hookporter express, SQLite +\| +9 000 \| +8 000 \| +– \|/);
  expect(text).toMatch(/express with node:sqlite, SQLite +\|.* 3\.50 \|/);
  expect(text).toContain("10 of 1 000");
  const leftOut = { leftOut: "no redis-server here" };
  expect(peersText(leftOut)).toContain("no redis-server here");
  expect(judgePeers(leftOut)).toEqual([]);
});

it("hookporter is to handle four times as many, to answer no later, and to lose nothing", () => {
  const judged = judgePeers([{ ...ours, killed: { ...killed, handled: 999 } }, theirs]);
  expect(judged.map(({ wanted, got, reached }) => [wanted, got, reached])).toEqual([
    ["0", 1, false],
    ["≥ 4", 3.5, false],
    ["≤ 1", 0.4, true],
  ]);
});

it("labels move down if they overlap, or up if there is no space below", () => {
  const places = (wanted: readonly number[]) => labelPlaces(wanted, { gap: 18, lowest: 380 });
  expect(places([100, 20, 60])).toEqual([100, 20, 60]);
  expect(places([100, 101, 99])).toEqual([117, 135, 99]);
  expect(places([380, 379])).toEqual([380, 362]);
});

it("labels never overlap or leave the plot", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 9 }), (wanted) => {
      const places = [...labelPlaces(wanted, { gap: 18, lowest: 380 })].sort((a, b) => a - b);
      const gaps = places.slice(1).map((place, index) => place - (places[index] ?? 0));
      expect(gaps.filter((gap) => gap < 18)).toEqual([]);
      expect(places.filter((place) => place > 380)).toEqual([]);
    }),
  );
});
