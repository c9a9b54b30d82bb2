import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { rowOf } from "../../../tools/bench/account/rows.ts";
import { accountFor } from "../../../tools/bench/account/thread-account.ts";
import { activityOf } from "../../../tools/bench/profile/activity.ts";
import { breakDown } from "../../../tools/bench/profile/breakdown.ts";
import type { ProfileNode } from "../../../tools/bench/profile/v8-profile.ts";
import { root } from "../../docs/markdown.ts";

function node(
  id: number,
  functionName: string,
  url: string,
  children: readonly number[] = [],
): ProfileNode {
  return { id, callFrame: { functionName, url, lineNumber: 0, columnNumber: 0 }, children };
}

const nodes = [
  node(1, "(root)", "", [2, 3, 4, 5]),
  node(2, "(idle)", ""),
  node(3, "(garbage collector)", ""),
  node(4, "(program)", ""),
  node(5, "parserOnBody", "node:_http_common", [6]),
  node(6, "verify", "src/signature/verify.ts", [7]),
  node(7, "update", "node:internal/crypto/hash", [8]),
  node(8, "update", ""),
];

/** Samples of the thread: the current node, and the microseconds until the next sample. */
function profileOf(...looks: readonly (readonly [number, number])[]) {
  const samples = looks.map(([id]) => id);
  return { nodes, samples, timeDeltas: [0, ...looks.map(([, micros]) => micros)] };
}

const byUrl = ({ url }: ProfileNode["callFrame"]) => url;

it("native functions count for the file that called them", () => {
  const { shares, busyMicros, hottest } = breakDown(profileOf([8, 300], [7, 100], [5, 400]), byUrl);
  expect(hottest).toContainEqual(
    expect.objectContaining({ name: "update", worksFor: "src/signature/verify.ts" }),
  );
  expect(busyMicros).toBe(800);
  expect(shares.signature).toBe(0.5);
  expect(shares["HTTP: parsing, streams, writing"]).toBe(0.5);
});

it("idle time and garbage collection are counted separately", () => {
  const found = breakDown(profileOf([2, 500], [3, 100], [6, 300], [4, 100]), byUrl);
  expect(found).toMatchObject({ busyMicros: 400, idle: 0.5, garbageCollection: 0.1 });
  expect(found.shares.signature).toBe(0.75);
  expect(found.shares["outside JavaScript"]).toBe(0.25);
});

it("the functions with most self time are named, with all their callers combined", () => {
  const { hottest } = breakDown(profileOf([6, 100], [5, 300], [6, 100], [5, 300]), byUrl);
  expect(hottest).toEqual([
    { name: "parserOnBody", file: "node:_http_common", worksFor: "", share: 0.75 },
    { name: "verify", file: "src/signature/verify.ts", worksFor: "", share: 0.25 },
  ]);
});

it("no time is subtracted if the profile's clock went back", () => {
  expect(breakDown(profileOf([6, 100], [5, -50], [6, 100]), byUrl).busyMicros).toBe(200);
  expect(breakDown(profileOf(), byUrl)).toMatchObject({ busyMicros: 0, idle: 0, hottest: [] });
});

const threadNodes = [
  node(1, "(root)", "", [2, 3, 4]),
  node(2, "(idle)", ""),
  node(3, "verify", "src/signature/verify.ts"),
  node(4, "sql$COMMIT", "", [5]),
  node(5, "run", ""),
];

/**
 * The samples of a thread that had 600 µs of a signature, 400 µs of commits, and was idle for a
 * while.
 */
const profile = { nodes: threadNodes, samples: [3, 5, 2], timeDeltas: [0, 600, 400, 5000] };
const commits = { count: 0, measured: 0, wall: 0, cpu: 0 };
const thread = { id: 7, receives: false, profile, commits };
const used = { cpu: 1000e-6, queued: 0, preempted: 0 };

/** The account of the thread for ten deliveries. */
const account = (more: Partial<Parameters<typeof accountFor>[0]>) =>
  accountFor({ profile: thread, profiled: used, deliveries: 10, cpu: 0, ...more }, byUrl);

it("rows sum up to the thread's processor time without a profiler", () => {
  const { rows, unsampled } = account({ cpu: 50 });
  expect(rows).toEqual({ signature: 30, "SQLite: COMMIT": 20 });
  expect(unsampled).toBeCloseTo(0);
});

it("what a commit waits for the disk is no processor time", () => {
  const waiting = { ...thread, commits: { count: 80, measured: 10, wall: 0.004, cpu: 0.001 } };
  const profiled = { ...used, cpu: 700e-6 };
  const { rows, flushMs } = account({ profile: waiting, profiled, cpu: 70 });
  expect(rows.signature).toBeCloseTo(60);
  expect(rows["SQLite: COMMIT"]).toBeCloseTo(10);
  expect(flushMs).toBeCloseTo(0.3);
});

it("processor time that no sample shows is named", () => {
  const profiled = { ...used, cpu: 2000e-6 };
  const { rows, unsampled, cpu } = account({ profiled, cpu: 100 });
  expect(rows.signature).toBeCloseTo(30);
  expect({ unsampled, cpu }).toEqual({ unsampled: expect.closeTo(50), cpu: 100 });
});

it("the time that a thread waited for its core is taken from all rows alike", () => {
  const profiled = { cpu: 500e-6, queued: 1000e-6, preempted: 0.5 };
  const { rows } = account({ profiled, cpu: 50 });
  expect(rows.signature).toBeCloseTo(30);
});

it("without the system's counts, the samples are the account", () => {
  const { cpu, rows } = account({ profiled: undefined, cpu: Number.NaN });
  expect(cpu).toBe(100);
  expect(rows.signature).toBe(60);
});

const http = { name: "parserOnMessageComplete", file: "node:_http_common" };

it.each([
  ["signature", "src/signature/verify.ts"],
  ["strict JSON checks", "src/event/canonical-json.ts"],
  ["identity: digests", "src/event/identity.ts"],
  ["UTF-8 and JSON.parse", "src/event/read-envelope.ts"],
  ["envelope and schema", "src/event/schemas.ts"],
  ["reading the body", "src/http/read-body.ts"],
  ["receiver: other work", "src/receiver/receive.ts"],
  ["inbox: rows and packing", "src/inbox/sqlite/thread/batch.ts"],
  ["inbox: SQLite in this thread", "src/inbox/sqlite/statements.ts"],
] as const)("the time of %s is attributed to %s, which exists", (activity, file) => {
  expect(existsSync(join(root, file))).toBe(true);
  expect(activityOf([{ name: "any", file }, http])).toBe(activity);
});

it("Node's helpers count for their callers, packages for what they do, and unknown functions as the rest", () => {
  const crypto = { name: "hash", file: "node:internal/crypto/hash" };
  const zod = { name: "parse", file: "node_modules/zod/v4/core/parse.js" };
  const express = { name: "handle", file: "node_modules/express/lib/application.js" };
  for (const [stack, activity] of [
    [[crypto, { name: "shortDigest", file: "src/event/identity.ts" }, http], "identity: digests"],
    [[crypto, { name: "verify", file: "src/signature/verify.ts" }, http], "signature"],
    [[zod], "envelope and schema"],
    [[express], "framework"],
    [[{ name: "processTicks", file: "node:internal/process/task_queues" }], "rest"],
    [[], "rest"],
  ] as const)
    expect(activityOf(stack)).toBe(activity);
});

const accept = { name: "accept", file: "src/receiver/receive.ts" };

it.each([
  ["signature", "src/signature/verify.ts"],
  ["strict reading", "src/event/canonical-json.ts"],
  ["reading the body", "src/http/read-body.ts"],
  ["settling and handlers", "src/dispatch/runs/entry-runner.ts"],
  ["hop between the threads", "src/inbox/sqlite/thread/threaded-writer.ts"],
  ["SQLite: JavaScript around the statements", "src/inbox/sqlite/statements.ts"],
  ["receiver and inbox: other", "src/receiver/receive.ts"],
] as const)("the time of %s is found by the file %s, which exists", (row, file) => {
  expect(existsSync(join(root, file))).toBe(true);
  expect(rowOf([{ name: "any", file }, http])).toBe(row);
});

it("a file packs for the other thread, if its name says so, and there is one", () => {
  const packing = readdirSync(join(root, "src/inbox/sqlite")).filter(
    (name) =>
      rowOf([{ name: "any", file: `src/inbox/sqlite/${name}` }]) ===
      "packing for the other thread, and unpacking",
  );
  expect(packing.length).toBeGreaterThan(0);
});

it("the time of a statement is not added to the function that runs it", () => {
  const stack = [
    { name: "run", file: "" },
    { name: "sql$INSERT$INTO$entry", file: "" },
    { name: "settle", file: "src/inbox/sqlite/operations.ts" },
  ];
  expect(rowOf(stack)).toBe("SQLite: INSERT INTO entry");
});

it("system calls and messages count for themselves, other native functions for their callers", () => {
  expect(rowOf([{ name: "writev", file: "" }, http])).toBe("writing answers, with the system call");
  expect(rowOf([{ name: "postMessage", file: "" }, accept])).toBe("hop between the threads");
  expect(rowOf([{ name: "update", file: "" }, accept])).toBe("receiver and inbox: other");
});

it("an idle thread has no row, however it waits", () => {
  expect(rowOf([{ name: "(idle)", file: "" }])).toBeUndefined();
  expect(rowOf([{ name: "wait", file: "" }, accept])).toBeUndefined();
});
