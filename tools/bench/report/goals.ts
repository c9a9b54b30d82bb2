import type { ContestantName } from "../contestants/all.ts";
import { type Account, timeRatio } from "../sections/account.ts";
import { type Comparable, type Measured, ratio } from "../sections/measured.ts";
import type { SlowDisk } from "../sections/slow-disk.ts";
import { type Floor, isFast } from "../server/measure-floor.ts";
import type { Judged } from "./judged.ts";
import { judgePeers } from "./peers.ts";
import { judgePostgres } from "./postgres.ts";
import type { Report } from "./report.ts";
import { judgeAgainst, judgeThresholds } from "./thresholds.ts";

/**
 * From this version on Express no longer swaps prototypes, so plain Express is three times as fast
 * as on Node 20.
 */
const QUICK_EXPRESS = 24;

/**
 * What a run is compared with: thresholds after the forms `minute` and `against`, else the goals.
 */
export function judge(report: Report): readonly Judged[] {
  return thresholdsOf(report) ?? judgeGoals(report);
}

/** Only a missed threshold fails a run: goals may be out of reach. */
export function exitCodeOf(report: Report): number {
  return thresholdsOf(report)?.some(({ reached }) => !reached) ? 1 : 0;
}

function thresholdsOf(report: Report): readonly Judged[] | undefined {
  if (report.form === "against") return judgeAgainst(report);
  return report.form === "minute" ? judgeThresholds(report) : undefined;
}

/** The goals this run reached; those of sections that were not run are omitted. */
export function judgeGoals({
  machine,
  floor,
  account = [],
  loads = [],
  slowDisk,
  ageing,
  growth = [],
  pending,
  startUp = [],
  replay,
  postgres,
  peers,
}: Report): readonly Judged[] {
  const at = (contestant: ContestantName, connections: number) =>
    loads.find(
      (load) =>
        load.contestant === contestant && load.size === 600 && load.connections === connections,
    );
  const beside = (
    [one, other]: readonly [ContestantName, ContestantName],
    connections: number,
    of: Comparable = "perSecond",
  ): number => {
    const first = at(one, connections);
    const second = at(other, connections);
    return first === undefined || second === undefined ? Number.NaN : ratio(first, second, of);
  };
  const judged: Judged[] = [];
  const least = (goal: string, wanted: number, got: number) => {
    if (Number.isNaN(got) || Number.isNaN(wanted)) return;
    judged.push({ goal, wanted: `≥ ${wanted}`, got, reached: got >= wanted });
  };
  const most = (goal: string, wanted: number, got: number) => {
    if (Number.isNaN(got) || Number.isNaN(wanted)) return;
    judged.push({ goal, wanted: `≤ ${wanted}`, got, reached: got <= wanted });
  };
  // Where the processor is slow, flushes and system calls weigh less, so the same build has better
  // ratios.
  const fast = floor === undefined || isFast(floor);
  const leastIfFast = (goal: string, wanted: number, got: number) => {
    if (Number.isNaN(got)) return;
    judged.push({ goal, wanted: `≥ ${wanted}`, got, reached: fast ? got >= wanted : undefined });
  };
  const quickExpress = majorOf(machine.node) >= QUICK_EXPRESS;
  leastIfFast("node adapter × octokit", 0.85, beside(["hookporter node", "octokit"], 64));
  if (!quickExpress) {
    const goal = "Express adapter × plain Express";
    leastIfFast(goal, 2, beside(["hookporter express", "express plain"], 64));
  }
  most("its p99 × plain Express's", 1, beside(["hookporter express", "express plain"], 64, "p99"));
  least(
    "node adapter × without schemas",
    0.95,
    beside(["hookporter node", "hookporter node, no schemas"], 64),
  );
  leastIfFast(
    "handled × received only",
    0.7,
    beside(["hookporter node, no schemas", "hookporter node, received only"], 64),
  );
  leastIfFast(
    "received only: Express adapter × plain Express",
    quickExpress ? 1 : 2.6,
    beside(["hookporter express, received only", "express plain"], 64),
  );
  leastIfFast(
    "received only: node adapter × node:http bare",
    0.75,
    beside(["hookporter node, received only", "node:http bare"], 64),
  );
  for (const adapter of ["node", "express"] as const) {
    leastIfFast(
      `received only: ${adapter} adapter × without a store, 256 connections`,
      0.95,
      beside([`hookporter ${adapter}, received only`, `hookporter ${adapter}, no store`], 256),
    );
  }
  most(
    "received only, one connection, p50: milliseconds more than without a store × the floor's write and flush",
    2,
    loneOverFloor(
      at("hookporter node, received only", 1),
      at("hookporter node, no store", 1),
      floor,
    ),
  );
  most("event loop late at saturation, p99 ms", 2, at("hookporter node", 64)?.lagP99 ?? Number.NaN);
  // The goal is relative to plain Express on Node 20.
  if (!quickExpress)
    least("1 ms slower flushes: Express adapter × plain Express", 2, slowDiskRatio(slowDisk));
  for (const [measured, empty, plain] of agedPairs(ageing?.measured ?? [])) {
    least(`${measured.entries} entries × empty`, 0.9, ratio(measured, empty));
    most(`${measured.entries} entries: p99 × plain Express's`, 1, ratio(measured, plain, "p99"));
  }
  for (const one of growth) {
    if ("leftOut" in one) continue;
    least(`${one.what}: × without`, one.least ?? Number.NaN, one.ofEmpty);
    most(`${one.what}: p99 × without`, one.p99Most ?? Number.NaN, one.p99OfEmpty);
  }
  most("processor time of a delivery × octokit's", 1.7, timeOfOctokit(account));
  most(`memory with ${pending?.entries} pending entries, MB`, 250, pending?.rss ?? Number.NaN);
  for (const { what, ratio: got } of startUp.slice(1)) {
    most(`${what} × node -e 0`, what.includes("listen") ? 4 : 3, got);
  }
  least("replay, deliveries per second", 2500, replay?.perSecond ?? Number.NaN);
  return [...judged, ...judgePostgres(postgres), ...judgePeers(peers)];
}

function majorOf(version: string): number {
  return Number(/^v(\d+)\./.exec(version)?.[1]);
}

function loneOverFloor(
  durable: Measured | undefined,
  without: Measured | undefined,
  floor: Floor | undefined,
): number {
  if (durable === undefined || without === undefined || floor === undefined) return Number.NaN;
  return (durable.p50 - without.p50) / floor.flushMs;
}

function timeOfOctokit(account: readonly Account[]): number {
  const ours = account.find(({ contestant }) => contestant === "hookporter node");
  const octokit = account.find(({ contestant }) => contestant === "octokit");
  return ours === undefined || octokit === undefined ? Number.NaN : timeRatio(ours, octokit);
}

function slowDiskRatio(slowDisk: SlowDisk | undefined): number {
  if (slowDisk === undefined || "leftOut" in slowDisk) return Number.NaN;
  const [ours, plain] = slowDisk.measured;
  return ours === undefined || plain === undefined ? Number.NaN : ratio(ours, plain);
}

/** Each non-empty inbox, with the empty one and plain Express. */
function agedPairs(
  measured: readonly Measured[],
): readonly (readonly [Measured, Measured, Measured])[] {
  const ours = measured.filter(({ contestant }) => contestant === "hookporter node, received only");
  const plain = measured.find(({ contestant }) => contestant === "express plain");
  const empty = ours.find(({ entries }) => entries === 0);
  if (plain === undefined || empty === undefined) return [];
  return ours.filter(({ entries }) => entries > 0).map((our) => [our, empty, plain]);
}
