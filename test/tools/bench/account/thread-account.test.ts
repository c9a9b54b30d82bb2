import { expect, it } from "vitest";
import { accountFor } from "../../../../tools/bench/account/thread-account.ts";
import type { ProfileNode } from "../../../../tools/bench/profile/v8-profile.ts";

function node(
  id: number,
  functionName: string,
  url: string,
  children: readonly number[] = [],
): ProfileNode {
  return { id, callFrame: { functionName, url, lineNumber: 0, columnNumber: 0 }, children };
}

const nodes = [
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
const profile = { nodes, samples: [3, 5, 2], timeDeltas: [0, 600, 400, 5000] };
const commits = { count: 0, measured: 0, wall: 0, cpu: 0 };
const thread = { id: 7, receives: false, profile, commits };
const byUrl = ({ url }: ProfileNode["callFrame"]) => url;
const used = { cpu: 1000e-6, queued: 0, preempted: 0 };

it("rows sum up to the thread's processor time without a profiler", () => {
  const { rows, unsampled } = accountFor(
    { profile: thread, profiled: used, deliveries: 10, cpu: 50 },
    byUrl,
  );
  expect(rows).toEqual({ signature: 30, "SQLite: COMMIT": 20 });
  expect(unsampled).toBeCloseTo(0);
});

it("what a commit waits for the disk is no processor time", () => {
  const waiting = { ...thread, commits: { count: 80, measured: 10, wall: 0.004, cpu: 0.001 } };
  const profiled = { ...used, cpu: 700e-6 };
  const { rows, flushMs } = accountFor(
    { profile: waiting, profiled, deliveries: 10, cpu: 70 },
    byUrl,
  );
  expect(rows.signature).toBeCloseTo(60);
  expect(rows["SQLite: COMMIT"]).toBeCloseTo(10);
  expect(flushMs).toBeCloseTo(0.3);
});

it("processor time that no sample shows is named", () => {
  const profiled = { ...used, cpu: 2000e-6 };
  const { rows, unsampled, cpu } = accountFor(
    { profile: thread, profiled, deliveries: 10, cpu: 100 },
    byUrl,
  );
  expect(rows.signature).toBeCloseTo(30);
  expect({ unsampled, cpu }).toEqual({ unsampled: expect.closeTo(50), cpu: 100 });
});

it("the time that a thread waited for its core is taken from all rows alike", () => {
  const profiled = { cpu: 500e-6, queued: 1000e-6, preempted: 0.5 };
  const { rows } = accountFor({ profile: thread, profiled, deliveries: 10, cpu: 50 }, byUrl);
  expect(rows.signature).toBeCloseTo(30);
});

it("without the system's counts, the samples are the account", () => {
  const { cpu, rows } = accountFor(
    { profile: thread, profiled: undefined, deliveries: 10, cpu: Number.NaN },
    byUrl,
  );
  expect(cpu).toBe(100);
  expect(rows.signature).toBe(60);
});
