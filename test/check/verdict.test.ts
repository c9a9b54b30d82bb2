import { expect, it } from "vitest";
import type { CheckReport, CheckResult } from "../../src/check/check-result.ts";
import { verdictText } from "../../src/check/verdict.ts";

const failed = (parts: Partial<CheckResult>) =>
  ({
    outcome: "failed",
    severity: "required",
    right: "200, 409, 429 or 503",
    runs: null,
    ...parts,
  }) as CheckResult;

const verdictOf = (...results: readonly CheckResult[]) =>
  verdictText({ results, stopped: null, diagnosis: [] } as unknown as CheckReport, false);

it("events that are confirmed and then lost are not said to be refused", () => {
  const lost = failed({ id: "DUP-13", answer: "10 × 200", runs: 6 });
  expect(verdictOf(lost)).toBe("failed, confirmed events do not run exactly once");
  expect(verdictOf(failed({ id: "DUP-11", answer: "200, 200", runs: 1 }))).toBe(verdictOf(lost));
});

it("that valid deliveries are refused is said first", () => {
  const lost = failed({ id: "DUP-04", answer: "200", runs: 0 });
  expect(verdictOf(lost, failed({ id: "BODY-12", answer: "401", right: "200" }))).toBe(
    "failed, valid deliveries are refused",
  );
});
