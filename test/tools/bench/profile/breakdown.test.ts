import { expect, it } from "vitest";
import { breakDown } from "../../../../tools/bench/profile/breakdown.ts";
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
  const { shares, busyMicros } = breakDown(profileOf([8, 300], [7, 100], [5, 400]), byUrl);
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

it("all of the thread's busy time is attributed", () => {
  const { shares } = breakDown(
    profileOf([4, 7], [5, 11], [6, 13], [7, 17], [8, 19], [2, 23]),
    byUrl,
  );
  expect(Object.values(shares).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1);
});

it("the functions with most self time are named, with all their callers combined", () => {
  const { hottest } = breakDown(profileOf([6, 100], [5, 300], [6, 100], [5, 300]), byUrl);
  expect(hottest).toEqual([
    { name: "parserOnBody", file: "node:_http_common", worksFor: "", share: 0.75 },
    { name: "verify", file: "src/signature/verify.ts", worksFor: "", share: 0.25 },
  ]);
});

it("a native function is attributed to its calling file", () => {
  const { hottest } = breakDown(profileOf([8, 100]), byUrl);
  expect(hottest).toEqual([
    { name: "update", file: "", worksFor: "src/signature/verify.ts", share: 1 },
  ]);
});

it("no time is subtracted if the profile's clock went back", () => {
  expect(breakDown(profileOf([6, 100], [5, -50], [6, 100]), byUrl).busyMicros).toBe(200);
});

it("a profile without samples has no breakdown", () => {
  expect(breakDown(profileOf(), byUrl)).toMatchObject({ busyMicros: 0, idle: 0, hottest: [] });
});
