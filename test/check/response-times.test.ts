import { expect, it } from "vitest";
import type { CaseId } from "../../src/check/catalogue.ts";
import { diagnoseTimes, responseTimesOf } from "../../src/check/response-times.ts";
import { causeText } from "../../src/check/words/common-causes.ts";
import { faultText } from "../../src/check/words/faults.ts";
import { responseTimesText } from "../../src/check/words/response-times.ts";
import { result } from "./sample.ts";

it("the median and the slowest of all measured cases are found", () => {
  const results = [
    ...[30, null, 10, 5200, 20].map((responseTime, index) =>
      result(`SIG-0${index + 1}` as CaseId, { responseTime }),
    ),
  ];
  expect(responseTimesOf(results)).toEqual({ median: 20, slowest: 5200, slowestCase: "SIG-04" });
  expect(responseTimesOf([result()])).toBeNull();
});

it.each([
  [0, "0 ms"],
  [99, "99 ms"],
  [1500, "1.5 s"],
  [12_040, "12 s"],
])("%i ms is written as %s", (slowest, text) => {
  const times = { median: 1, slowest, slowestCase: "SIG-01" } as const;
  expect(responseTimesText(times)).toBe(`response times: median 1 ms, slowest ${text} (SIG-01)`);
  const slow = result("SIG-01", { fault: { code: "slow", milliseconds: slowest } });
  expect(faultText(slow)).toMatch(new RegExp(`^answered after ${text},`));
});

it("slow answers are a common cause, fast ones are not", () => {
  const times = { median: 6000, slowest: 12_000, slowestCase: "SIG-01" } as const;
  expect(diagnoseTimes(times, 5000).map(causeText)).toEqual([
    expect.stringMatching(/after 6 s in the median, and 12 s/),
  ]);
  expect(diagnoseTimes(times, 12_000)).toEqual([]);
  expect(diagnoseTimes(null, 5000)).toEqual([]);
});
