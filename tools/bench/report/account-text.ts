import { ROWS } from "../account/rows.ts";
import type { ThreadAccount } from "../account/thread-account.ts";
import { spread, threeDigits } from "../numbers.ts";
import { type Account, timeRatio } from "../sections/account.ts";
import { type Floor, isFast } from "../server/measure-floor.ts";
import { table } from "./table.ts";

/** What kind of machine it was. */
export function floorText(floor: Floor): string {
  const { barePerSecond, loneBytes, pwriteMs, flushMs, hmacMicros, parseMicros } = floor;
  const rows: [string, string][] = [
    ["bare node:http server, 64 connections, per second", threeDigits(barePerSecond)],
    [`\`pwrite\` of the ${loneBytes} bytes that a lone delivery writes, ms`, threeDigits(pwriteMs)],
    ["`pwrite` and `fdatasync` of them, ms", threeDigits(flushMs)],
    ["HMAC of a body of 600 bytes, µs", threeDigits(hmacMicros)],
    ["`JSON.parse` of it, µs", threeDigits(parseMicros)],
  ];
  const kind = isFast(floor)
    ? "a fast machine: goals are ratios of throughput"
    : "a slow machine: goals are ratios of processor time, see the account";
  return `${table(["the machine's floor", ""], rows)}\n\n${kind}`;
}

/** The account of our receivers by thread, and the processor time of a delivery next to others. */
export function accountText(accounts: readonly Account[]): string {
  const ours = accounts.filter((account) => !isOther(account));
  return [
    "processor time of a delivery in µs, 600 bytes, 64 connections",
    table(
      ["", "whole process", "in the kernel", "× octokit", "× bare", "spread"],
      accounts.map((account) => wholeRow(account, accounts)),
    ),
    "the same by thread and activity; the profiler's own cost is subtracted in proportion",
    byThread(ours),
    "the receiving thread of others",
    table(
      ["receiving thread", ...accounts.filter(isOther).map(({ contestant }) => contestant)],
      threadRows(accounts.filter(isOther).map(({ receiving }) => receiving)),
    ),
  ].join("\n\n");
}

function isOther({ contestant }: Account): boolean {
  return !contestant.startsWith("hookporter node");
}

function wholeRow(account: Account, all: readonly Account[]): readonly string[] {
  const times = ["octokit", "node:http bare"].map((name) => {
    const other = all.find(({ contestant }) => contestant === name);
    return other === undefined ? "–" : threeDigits(timeRatio(account, other));
  });
  return [
    account.contestant,
    micros(account.cpu),
    micros(account.kernel),
    ...times,
    percent(spread(account.rounds)),
  ];
}

/** Both threads, the helpers, and what is missing from the sum. */
function byThread(accounts: readonly Account[]): string {
  const receiving = threadRows(accounts.map((account) => account.receiving));
  const writing = threadRows(accounts.map((account) => account.writing));
  const title = (text: string) => [`**${text}**`, ...accounts.map(() => "")];
  const rows = [
    title("receiving thread"),
    ...receiving,
    title("writer thread"),
    ...writing,
    title("whole process"),
    [
      "other threads: garbage collection, compilation",
      ...accounts.map((account) => micros(account.helpers)),
    ],
    ["sum of the threads", ...accounts.map((account) => micros(sumOf(account)))],
    ["measured for the process", ...accounts.map((account) => micros(account.cpu))],
    ["not explained by a sample", ...accounts.map((account) => micros(unexplained(account)))],
  ];
  return table(["µs per delivery", ...accounts.map(({ contestant }) => contestant)], rows);
}

function sumOf({ receiving, writing, helpers }: Account): number {
  return receiving.cpu + (writing?.cpu ?? 0) + helpers;
}

function unexplained(account: Account): number {
  return (
    account.cpu - sumOf(account) + account.receiving.unsampled + (account.writing?.unsampled ?? 0)
  );
}

function threadRows(
  threads: readonly (ThreadAccount | undefined)[],
): readonly (readonly string[])[] {
  const found = new Set(threads.flatMap((thread) => Object.keys(thread?.rows ?? {})));
  const statements = [...found].filter((row) => !ROWS.some((known) => known === row)).sort();
  const names = ROWS.flatMap((row) =>
    row === "SQLite: JavaScript around the statements" ? [...statements, row] : [row],
  );
  const rows = names
    .filter((name) => threads.some((thread) => (thread?.rows[name] ?? 0) >= 0.05))
    .map((name) => [name, ...threads.map((thread) => micros(thread?.rows[name] ?? 0))]);
  return [
    ...rows,
    [
      "in no sample: reading sockets, waking",
      ...threads.map((thread) => micros(thread?.unsampled ?? 0)),
    ],
    ["sum", ...threads.map((thread) => micros(thread?.cpu ?? 0))],
  ];
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function micros(value: number): string {
  if (Number.isNaN(value)) return "–";
  return Math.abs(value) < 0.05 ? "" : value.toFixed(1);
}
