import { expect, it } from "vitest";
import { MINUTE } from "../../../../tools/bench/form.ts";
import { exitCodeOf, judge } from "../../../../tools/bench/report/goals.ts";
import { THRESHOLDS } from "../../../../tools/bench/report/thresholds.ts";
import { emptyReport, roundsOf } from "../results.ts";

/**
 * A run of the form `minute` in which every contestant costs 10 µs and makes 1000 a second, apart
 * from some.
 */
function minute(rates: Readonly<Record<string, number>> = {}) {
  const [{ contestants }] = MINUTE.loads as [(typeof MINUTE.loads)[number]];
  const loads = contestants.map((name) =>
    roundsOf(name, { rates: [rates[name] ?? 1000], connections: 64 }),
  );
  return { ...emptyReport(), form: "minute", loads } as const;
}

it("the form of a minute measures every contestant of a threshold, and is judged by them alone", () => {
  expect(judge(minute())).toHaveLength(THRESHOLDS.length);
  expect(exitCodeOf(minute())).toBe(0);
});

it("a missed threshold fails the run", () => {
  const slow = minute({ "hookporter node, order keys": 400 });
  expect(judge(slow).filter(({ reached }) => !reached)).toMatchObject([
    { wanted: "≥ 0.5", got: 0.4 },
  ]);
  expect(exitCodeOf(slow)).toBe(1);
});

it("a run without one of the contestants cannot pass", () => {
  expect(() => exitCodeOf({ ...emptyReport(), form: "minute", loads: [] })).toThrow(
    /to measure hookporter node/,
  );
});

it("goals of the other forms do not fail a run", () => {
  expect(exitCodeOf({ ...minute({ "hookporter node": 1 }), form: "short" })).toBe(0);
});
