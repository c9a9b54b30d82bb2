import { threeDigits } from "../numbers.ts";
import type { Measured } from "../sections/measured.ts";
import { ratio } from "../sections/measured.ts";
import type { SlowDisk } from "../sections/slow-disk.ts";
import { accountText, floorText } from "./account-text.ts";
import { againstText } from "./against.ts";
import { judge } from "./goals.ts";
import { growthText } from "./growth-text.ts";
import { peersText } from "./peers.ts";
import { postgresText } from "./postgres.ts";
import { profileText } from "./profile-text.ts";
import type { Report } from "./report.ts";
import { table } from "./table.ts";

const HEAD = [
  "contestant",
  "a second",
  "× plain",
  "p50 ms",
  "p99 ms",
  "CPU µs",
  "lag p99",
  "RSS MB",
  "spread",
];

/** A report for a terminal. */
export function reportText(report: Report): string {
  const {
    machine,
    floor,
    account,
    loads = [],
    slowDisk,
    ageing,
    pending,
    growth,
    startUp,
    replay,
    floods,
    postgres,
    peers,
    against,
    profiles,
  } = report;
  const bench =
    machine.benchNode === machine.node ? "" : ` (the bench itself on ${machine.benchNode})`;
  const parts = [
    `${report.form} form, ${report.at}`,
    `${machine.processor}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}, Node ${machine.node}${bench}`,
    `SQLite ${machine.sqlite}; ${machine.placement}; load average before ${machine.loadBefore.toFixed(2)}`,
    Object.entries(machine.versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(", "),
  ];
  if (floor !== undefined) parts.push("", floorText(floor));
  if (account !== undefined) parts.push("", accountText(account));
  for (const group of groups(loads)) {
    const [first] = group;
    parts.push(
      "",
      `bodies of ${first?.size} bytes, ${first?.connections} connections`,
      "",
      loadTable(group),
    );
  }
  if (slowDisk !== undefined) parts.push("", slowDiskText(slowDisk));
  if (ageing !== undefined) {
    parts.push(
      "",
      "bodies of 600 bytes, 64 connections, by entries in the inbox",
      "",
      loadTable(ageing.measured),
    );
    for (const { entries, perSecond } of ageing.filled) {
      parts.push(`filled with ${entries} entries at ${threeDigits(perSecond)} per second`);
    }
  }
  if (pending !== undefined) {
    parts.push(
      "",
      `memory with ${pending.entries} pending entries: ${threeDigits(pending.rss)} MB`,
    );
  }
  if (growth !== undefined) parts.push("", growthText(growth));
  if (startUp !== undefined) {
    const rows = startUp.map((row) => [
      row.what,
      ...[row.ms, row.shortest, row.ratio].map(threeDigits),
    ]);
    parts.push("", table(["start-up", "median ms", "shortest", "× node -e 0"], rows));
  }
  if (replay !== undefined) {
    const { fixtures, perSecond, generator, ratio: share } = replay;
    const beside = `${machine.generator} on one connection ${threeDigits(generator)}: ${threeDigits(share)} ×`;
    parts.push(
      "",
      `replay of ${fixtures} fixtures: ${threeDigits(perSecond)} per second, ${beside}`,
    );
  }
  if (floods !== undefined) {
    const rows = floods.map((flood) => [
      flood.name,
      ...[flood.size, flood.cpu, flood.rss, flood.answered].map(threeDigits),
    ]);
    parts.push("", table(["unsigned flood", "bytes", "µs cpu", "RSS MB", "answered"], rows));
  }
  if (postgres !== undefined) parts.push("", postgresText(postgres));
  if (peers !== undefined) parts.push("", peersText(peers));
  if (against !== undefined) parts.push("", againstText(against, machine.build));
  if (profiles !== undefined) parts.push("", profileText(profiles));
  const goals = judge(report).map(({ goal, wanted, got, reached }) => [
    goal,
    wanted,
    threeDigits(got),
    reached === undefined ? "a goal of faster machines" : reached ? "reached" : "missed",
  ]);
  if (goals.length > 0) parts.push("", table(["goal", "wanted", "got", ""], goals));
  return `${parts.join("\n")}\n\n`;
}

function slowDiskText(slowDisk: SlowDisk): string {
  if ("leftOut" in slowDisk) return `slow disk: skipped, ${slowDisk.leftOut}`;
  const { addedMs, loneMs, measured } = slowDisk;
  return [
    `bodies of 600 bytes, 256 connections, ${addedMs} ms added to each flush of hookporter's`,
    loadTable(measured),
    `with this delay, a lone delivery is answered in ${threeDigits(loneMs)} ms`,
  ].join("\n\n");
}

/** The results grouped by size and number of connections. */
function groups(loads: readonly Measured[]): readonly (readonly Measured[])[] {
  const found = new Map<string, Measured[]>();
  for (const load of loads) {
    const name = `${load.size} ${load.connections}`;
    found.set(name, [...(found.get(name) ?? []), load]);
  }
  return [...found.values()];
}

function loadTable(group: readonly Measured[]): string {
  const plain = group.find(({ contestant }) => contestant === "express plain");
  const rows = group.map((measured) => [
    measured.entries > 0
      ? `${measured.contestant}, ${measured.entries} entries`
      : measured.contestant,
    threeDigits(measured.perSecond),
    plain === undefined ? "–" : threeDigits(ratio(measured, plain)),
    ...[measured.p50, measured.p99, measured.cpu, measured.lagP99, measured.rss].map(threeDigits),
    `${Math.round(measured.spread * 100)} %`,
  ]);
  return table(HEAD, rows);
}
