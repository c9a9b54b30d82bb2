import { expect, it } from "vitest";
import { DiagnosisLimit, SHARE, WORK } from "../../../src/cli/live/diagnosis-limit.ts";

function limited() {
  const clock = { now: 0, takes: 1 };
  const limit = new DiagnosisLimit(() => clock.now);
  const asked: number[] = [];
  /**
   * A diagnosis that takes as long as the clock says for its work; `left_out` if it may do none.
   */
  const ask = () => {
    const work = limit.work();
    if (work === undefined) return "left_out";
    asked.push(work);
    const ms = (work / WORK) * clock.takes;
    clock.now += ms;
    limit.spend(ms);
    return "diagnosed";
  };
  return { clock, ask, asked };
}

it("twenty equal refusals within two seconds are all diagnosed, also if nothing explains them", () => {
  const { clock, ask, asked } = limited();
  clock.takes = 200;
  const seen = Array.from({ length: 20 }, (_, index) => {
    clock.now = Math.max(clock.now, 100 * index);
    return ask();
  });
  expect(seen.filter((one) => one === "left_out")).toEqual([]);
  // With a fiftieth of the work, common causes are found.
  expect(Math.min(...asked)).toBeGreaterThan(WORK / 50);
});

it.each([90, 400])("limits diagnoses of %d ms to a fifth of the time", (takes) => {
  const { clock, ask } = limited();
  clock.takes = takes;
  let spent = 0;
  for (clock.now = 0; clock.now < 60_000; clock.now += 10) {
    const before = clock.now;
    ask();
    spent += clock.now - before;
  }
  expect(spent).toBeGreaterThan(0.9 * SHARE * 60_000);
  expect(spent).toBeLessThan(1.1 * SHARE * 60_000);
});
