import { expect, it } from "vitest";
import { goOnFrom } from "../../../bench/report/report.ts";
import { reportText } from "../../../bench/report/text.ts";
import { emptyReport, roundsOf } from "../results.ts";

const pending = { entries: 1000, rss: 100 };
const handling = { received: 10, completed: 8, ratio: 0.8 };

it("keeps the sections of the run before, and replaces what was measured again", () => {
  const earlier = { ...emptyReport(), pending, handling };
  const now = { ...emptyReport(), at: "2026-01-02T00:00:00.000Z", pending: { ...pending, rss: 90 } };
  expect(goOnFrom(earlier, now)).toEqual({ ...now, handling });
});

it.each([
  ["Node", emptyReport("v24.0.0")],
  ["form", { ...emptyReport(), form: "long" } as const],
  ["build", { ...emptyReport(), machine: { ...emptyReport().machine, build: "other" } }],
  ["version of a package", { ...emptyReport(), machine: { ...emptyReport().machine, versions: {} } }],
])("does not go on from a run of another %s", (_, earlier) => {
  expect(() => goOnFrom({ ...earlier, pending }, emptyReport())).toThrow(TypeError);
});

it("says whose Node was measured, and why a slow disk was not", () => {
  const text = reportText({ ...emptyReport("v24.0.0"), slowDisk: { leftOut: "there is no strace" } });
  expect(text).toContain("Node v24.0.0 (the bench itself on v20.20.2)");
  expect(text).toContain("there is no strace");
});

it("shows a slow disk beside plain Express", () => {
  const measured = [
    roundsOf("hookporter express", { rates: [2100], connections: 256 }),
    roundsOf("express plain", { rates: [1000], connections: 256 }),
  ];
  const text = reportText({ ...emptyReport(), slowDisk: { addedMs: 1, loneMs: 1.5, measured } });
  expect(text).toMatch(/hookporter express +2 100 +2\.10/);
});
