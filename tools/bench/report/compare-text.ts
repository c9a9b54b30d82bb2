import type { ContestantName } from "../contestants/all.ts";
import { threeDigits } from "../numbers.ts";
import { timeRatio } from "../sections/account.ts";
import { COMPARED } from "../sections/against.ts";
import { ratio } from "../sections/measured.ts";
import type { Report } from "./report.ts";
import { table } from "./table.ts";

/**
 * Runs on several Nodes side by side, each next to the peers on the same Node. Rows that no run
 * measured are omitted.
 */
export function compareText(reports: readonly Report[]): string {
  const rows: readonly (readonly [string, (report: Report) => number | undefined])[] = [
    ["bare server, per second", ({ floor }) => floor?.barePerSecond],
    ["node adapter, per second", (report) => at(report, "hookporter node")?.perSecond],
    ["its p99, ms", (report) => at(report, "hookporter node")?.p99],
    ["its memory, MB", (report) => at(report, "hookporter node")?.rss],
    ["node adapter × octokit", (report) => loadRatio(report, "hookporter node", "octokit")],
    ["node adapter × bare", (report) => loadRatio(report, "hookporter node", "node:http bare")],
    [
      "Express adapter × plain Express",
      (report) => loadRatio(report, "hookporter express", "express plain"),
    ],
    [
      "received only, processor time in µs",
      (report) => costs(report, "hookporter node, received only")?.cpu,
    ],
    ["processor time in µs", (report) => costs(report, "hookporter node")?.cpu],
    ["processor time × octokit's", timeOfOctokit],
    ...COMPARED.map(
      (name) =>
        [
          `${name}: processor time × before`,
          (report: Report) => timeOfBefore(report, name),
        ] as const,
    ),
  ];
  const filled = rows
    .map(([what, of]) => [what, ...reports.map((report) => threeDigits(of(report) ?? Number.NaN))])
    .filter((row) => row.slice(1).some((cell) => cell !== "–"));
  return table(
    ["600 bytes, 64 connections", ...reports.map(({ machine }) => machine.node)],
    filled,
  );
}

function at({ loads = [] }: Report, contestant: ContestantName) {
  return loads.find(
    (load) =>
      load.contestant === contestant &&
      load.size === 600 &&
      load.connections === 64 &&
      load.entries === 0,
  );
}

function loadRatio(report: Report, one: ContestantName, other: ContestantName): number | undefined {
  const first = at(report, one);
  const second = at(report, other);
  return first === undefined || second === undefined ? undefined : ratio(first, second);
}

function costs({ account = [] }: Report, name: ContestantName) {
  return account.find(({ contestant }) => contestant === name);
}

function timeOfOctokit(report: Report): number | undefined {
  const ours = costs(report, "hookporter node");
  const octokit = costs(report, "octokit");
  return ours === undefined || octokit === undefined ? undefined : timeRatio(ours, octokit);
}

function timeOfBefore({ against }: Report, name: ContestantName): number | undefined {
  const compared = against?.compared.find(({ now }) => now.contestant === name);
  return compared === undefined ? undefined : ratio(compared.now, compared.before, "cpu");
}
