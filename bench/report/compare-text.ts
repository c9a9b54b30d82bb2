import type { ContestantName } from "../contestants/all.ts";
import { threeDigits } from "../numbers.ts";
import { timeRatio } from "../sections/account.ts";
import { ratio } from "../sections/measured.ts";
import type { Report } from "./report.ts";
import { table } from "./table.ts";

/** Runs on several Nodes side by side, each next to the peers on the same Node. Rows that no run measured are omitted. */
export function compareText(reports: readonly Report[]): string {
  const rows: readonly (readonly [string, (report: Report) => number | undefined])[] = [
    ["bare server, per second", ({ floor }) => floor?.barePerSecond],
    ["node adapter, per second", (report) => at(report, "hookporter node")?.perSecond],
    ["its p99, ms", (report) => at(report, "hookporter node")?.p99],
    ["its memory, MB", (report) => at(report, "hookporter node")?.rss],
    ["node adapter × octokit", (report) => loadRatio(report, "hookporter node", "octokit")],
    ["node adapter × bare", (report) => loadRatio(report, "hookporter node", "node:http bare")],
    ["Express adapter × plain Express", (report) => loadRatio(report, "hookporter express", "express plain")],
    ["received, processor time in µs", (report) => costs(report, false)?.cpu],
    ["handled, processor time in µs", (report) => costs(report, true)?.cpu],
    ["handled × octokit's processor time", timeOfOctokit],
    ["with handlers: node adapter × octokit", ({ handling }) => handling?.ofOctokit],
    ["with handlers: Express adapter × plain Express", ({ handling }) => handling?.ofPlain],
  ];
  const filled = rows
    .map(([what, of]) => [what, ...reports.map((report) => threeDigits(of(report) ?? Number.NaN))])
    .filter((row) => row.slice(1).some((cell) => cell !== "–"));
  return table(["600 bytes, 64 connections", ...reports.map(({ machine }) => machine.node)], filled);
}

function at({ loads = [] }: Report, contestant: ContestantName) {
  return loads.find(
    (one) => one.contestant === contestant && one.size === 600 && one.connections === 64 && one.entries === 0,
  );
}

function loadRatio(report: Report, one: ContestantName, other: ContestantName): number | undefined {
  const [first, second] = [at(report, one), at(report, other)];
  return first === undefined || second === undefined ? undefined : ratio(first, second);
}

function costs({ account = [] }: Report, handled: boolean) {
  return account.find((one) => one.contestant === "hookporter node" && one.handled === handled);
}

function timeOfOctokit(report: Report): number | undefined {
  const [ours, octokit] = [
    costs(report, true),
    report.account?.find(({ contestant }) => contestant === "octokit"),
  ];
  return ours === undefined || octokit === undefined ? undefined : timeRatio(ours, octokit);
}
