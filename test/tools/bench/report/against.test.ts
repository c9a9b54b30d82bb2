import { expect, it } from "vitest";
import { compareText } from "../../../../tools/bench/report/compare-text.ts";
import { exitCodeOf, judge } from "../../../../tools/bench/report/goals.ts";
import { reportText } from "../../../../tools/bench/report/text.ts";
import { COMPARED, type Compared } from "../../../../tools/bench/sections/against.ts";
import { comparedOf, emptyReport } from "../results.ts";

/** A run beside another build, in which all is as before, apart from some contestants. */
function against(...changed: readonly Compared[]) {
  const compared = COMPARED.map(
    (name) => changed.find(({ now }) => now.contestant === name) ?? comparedOf(name, 1),
  );
  const before = { version: "0.9.0", build: "fedcba987654" };
  return { ...emptyReport(), form: "against", against: { before, compared } } as const;
}

it("a build that is as fast as the one before passes, judged in two numbers of every contestant", () => {
  expect(judge(against())).toHaveLength(2 * COMPARED.length);
  expect(exitCodeOf(against())).toBe(0);
});

it.each([
  { speed: 0.89, cpu: 1, missed: ["≥ 0.9"] },
  { speed: 1, cpu: 1.11, missed: ["≤ 1.1"] },
  { speed: 0.8, cpu: 1.25, missed: ["≥ 0.9", "≤ 1.1"] },
  { speed: 0.91, cpu: 1.09, missed: [] },
  { speed: 2, cpu: 0.5, missed: [] },
])(
  "$speed of the throughput with $cpu of the processor time misses $missed",
  ({ speed, cpu, missed }) => {
    const run = against(comparedOf("hookporter express", speed, cpu));
    const found = judge(run).filter(({ reached }) => !reached);
    expect(found.map(({ wanted }) => wanted)).toEqual(missed);
    expect(found.every(({ goal }) => goal.startsWith("hookporter express, "))).toBe(true);
    expect(exitCodeOf(run)).toBe(missed.length > 0 ? 1 : 0);
  },
);

it("one process that was unlucky does not fail a run: the median of the pairs counts", () => {
  const { now, before } = comparedOf("hookporter node", 1);
  const [round] = now.rounds;
  if (round === undefined) throw new Error("expected a round");
  const unlucky = [{ ...round, perSecond: 500, cpu: 200 }, round, round];
  expect(
    exitCodeOf(
      against({
        now: { ...now, rounds: unlucky },
        before: { ...before, rounds: [round, round, round] },
      }),
    ),
  ).toBe(0);
});

it("a run that did not measure the other build cannot pass", () => {
  expect(() => exitCodeOf({ ...emptyReport(), form: "against" })).toThrow(
    /to measure another build/,
  );
});

it("a row has each number before, now and compared", () => {
  const text = reportText(against(comparedOf("hookporter express", 0.5)));
  expect(text).toContain(
    "build 0123456789ab beside hookporter 0.9.0, build fedcba987654; medians of 2 pairs",
  );
  expect(text).toMatch(
    /\| hookporter express +\| +1 000 \| +500 \| +0\.500 \| +100 \| +200 \| +2\.00 \| +2\.00 \| +2\.00 \| +1\.00 \|/,
  );
});

it("runs on several Nodes show how the build changed on each", () => {
  const text = compareText([against(), against(comparedOf("hookporter node", 0.8))]);
  expect(text).toMatch(/hookporter node: processor time × before +\| +1\.00 \| +1\.25 \|/);
});
