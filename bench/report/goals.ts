import type { ContestantName } from "../contestants/all.ts";
import { type Account, timeRatio } from "../sections/account.ts";
import { ON_ONE_FILE } from "../sections/growth.ts";
import { type Measured, ratio } from "../sections/measured.ts";
import type { SlowDisk } from "../sections/slow-disk.ts";
import { type Floor, isFast } from "../server/measure-floor.ts";
import type { Judged } from "./judged.ts";
import { judgePostgres } from "./postgres.ts";
import type { Report } from "./report.ts";

/** From this version on Express no longer swaps prototypes, so plain Express is three times as fast as on Node 20. */
const QUICK_EXPRESS = 24;

/** The goals this run reached; those of sections that were not run are omitted. */
export function judgeGoals({
  machine,
  floor,
  account = [],
  loads = [],
  slowDisk,
  ageing,
  growth = [],
  handling,
  pending,
  startUp = [],
  replay,
  postgres,
}: Report): readonly Judged[] {
  const at = (contestant: ContestantName, connections: number) =>
    loads.find((one) => one.contestant === contestant && one.size === 600 && one.connections === connections);
  const beside = (
    [one, other]: readonly [ContestantName, ContestantName],
    connections: number,
    of: "perSecond" | "p50" | "p99" = "perSecond",
  ): number => {
    const [first, second] = [at(one, connections), at(other, connections)];
    return first === undefined || second === undefined ? Number.NaN : ratio(first, second, of);
  };
  const judged: Judged[] = [];
  const least = (goal: string, wanted: number, got: number) => {
    if (!Number.isNaN(got)) judged.push({ goal, wanted: `≥ ${wanted}`, got, reached: got >= wanted });
  };
  const most = (goal: string, wanted: number, got: number) => {
    if (!Number.isNaN(got)) judged.push({ goal, wanted: `≤ ${wanted}`, got, reached: got <= wanted });
  };
  // Where the processor is slow, flushes and system calls weigh less, so the same build has better ratios.
  const fast = floor === undefined || isFast(floor);
  const leastIfFast = (goal: string, wanted: number, got: number) => {
    if (Number.isNaN(got)) return;
    judged.push({ goal, wanted: `≥ ${wanted}`, got, reached: fast ? got >= wanted : undefined });
  };
  const quickExpress = majorOf(machine.node) >= QUICK_EXPRESS;
  leastIfFast(
    "Express adapter × plain Express, 64 connections",
    quickExpress ? 1 : 2.6,
    beside(["hookporter express", "express plain"], 64),
  );
  most("its p99 × plain Express's", 1, beside(["hookporter express", "express plain"], 64, "p99"));
  leastIfFast("node adapter × octokit", 1, beside(["hookporter node", "octokit"], 64));
  leastIfFast("node adapter × node:http bare", 0.75, beside(["hookporter node", "node:http bare"], 64));
  leastIfFast(
    "node adapter × the same without a store, 256 connections",
    0.95,
    beside(["hookporter node", "hookporter node, no store"], 256),
  );
  leastIfFast(
    "Express adapter × the same without a store, 256 connections",
    0.95,
    beside(["hookporter express", "hookporter express, no store"], 256),
  );
  most(
    "node adapter, one connection, p50: milliseconds more than without a store × the floor's write and flush",
    1.5,
    loneOverFloor(at("hookporter node", 1), at("hookporter node, no store", 1), floor),
  );
  most("event loop late at saturation, p99 ms", 2, at("hookporter node", 64)?.lagP99 ?? Number.NaN);
  // The goal is relative to plain Express on Node 20.
  if (!quickExpress)
    least("1 ms slower flushes: Express adapter × plain Express", 2, slowDiskRatio(slowDisk));
  for (const [one, empty, plain] of agedPairs(ageing?.measured ?? [])) {
    least(`${one.entries} entries × empty`, 0.9, ratio(one, empty));
    most(`${one.entries} entries: p99 × plain Express's`, 1, ratio(one, plain, "p99"));
  }
  for (const one of growth) {
    if ("leftOut" in one || one.what !== ON_ONE_FILE) continue;
    least(`${one.what}: × one receiver`, 0.85, one.ofEmpty);
    most(`${one.what}: p99 × one receiver's`, 1.3, one.p99OfEmpty);
  }
  leastIfFast("received, handled and completed × received", 0.7, handling?.ratio ?? Number.NaN);
  leastIfFast("node adapter with handlers × octokit", 0.8, handling?.ofOctokit ?? Number.NaN);
  if (!quickExpress)
    leastIfFast("Express adapter with handlers × plain Express", 2, handling?.ofPlain ?? Number.NaN);
  most("handled: processor time of a delivery × octokit's", 1.25, timeOfOctokit(account));
  most(`memory with ${pending?.entries} pending entries, MB`, 250, pending?.rss ?? Number.NaN);
  for (const { what, ratio: got } of startUp.slice(1)) {
    most(`${what} × node -e 0`, what.includes("listen") ? 4 : 1.2, got);
  }
  least("replay, deliveries per second", 2500, replay?.perSecond ?? Number.NaN);
  return [...judged, ...judgePostgres(postgres)];
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
  const handled = account.find((one) => one.contestant === "hookporter node" && one.handled);
  const octokit = account.find(({ contestant }) => contestant === "octokit");
  return handled === undefined || octokit === undefined ? Number.NaN : timeRatio(handled, octokit);
}

function slowDiskRatio(slowDisk: SlowDisk | undefined): number {
  if (slowDisk === undefined || "leftOut" in slowDisk) return Number.NaN;
  const [ours, plain] = slowDisk.measured;
  return ours === undefined || plain === undefined ? Number.NaN : ratio(ours, plain);
}

/** Each non-empty inbox, with the empty one and plain Express. */
function agedPairs(measured: readonly Measured[]): readonly (readonly [Measured, Measured, Measured])[] {
  const ours = measured.filter(({ contestant }) => contestant === "hookporter node");
  const plain = measured.find(({ contestant }) => contestant === "express plain");
  const empty = ours.find(({ entries }) => entries === 0);
  if (plain === undefined || empty === undefined) return [];
  return ours.filter(({ entries }) => entries > 0).map((one) => [one, empty, plain]);
}
