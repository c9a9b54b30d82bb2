import { expect, it } from "vitest";
import { goOnFrom } from "../../../../tools/bench/report/report.ts";
import { reportText } from "../../../../tools/bench/report/text.ts";
import { emptyReport, roundsOf } from "../results.ts";

const pending = { entries: 1000, rss: 100 };
const replay = { fixtures: 10, perSecond: 8, generator: 10, ratio: 0.8 };

it("sections of the previous run are kept, unless measured again", () => {
  const earlier = { ...emptyReport(), pending, replay };
  const now = {
    ...emptyReport(),
    at: "2026-01-02T00:00:00.000Z",
    pending: { ...pending, rss: 90 },
  };
  expect(goOnFrom(earlier, now)).toEqual({ ...now, replay });
});

it.each([
  ["Node", emptyReport("v24.0.0")],
  ["form", { ...emptyReport(), form: "long" } as const],
  ["build", { ...emptyReport(), machine: { ...emptyReport().machine, build: "other" } }],
  [
    "version of a package",
    { ...emptyReport(), machine: { ...emptyReport().machine, versions: {} } },
  ],
])("a run of another %s is not continued", (_, earlier) => {
  expect(() => goOnFrom({ ...earlier, pending }, emptyReport())).toThrow(TypeError);
});

it("the measured Node is named, and the reason if a slow disk was not measured", () => {
  const text = reportText({
    ...emptyReport("v24.0.0"),
    slowDisk: { leftOut: "there is no strace" },
  });
  expect(text).toContain("Node v24.0.0 (the bench itself on v20.20.2)");
  expect(text).toContain("there is no strace");
});

it("a slow disk is shown next to plain Express", () => {
  const measured = [
    roundsOf("hookporter express", { rates: [2100], connections: 256 }),
    roundsOf("express plain", { rates: [1000], connections: 256 }),
  ];
  const text = reportText({ ...emptyReport(), slowDisk: { addedMs: 1, loneMs: 1.5, measured } });
  expect(text).toMatch(/hookporter express +\| +2 100 \| +2\.10/);
});
