import { describe, expect, it } from "vitest";
import type { ProbeAnswer } from "../../src/check/answer.ts";
import type { CheckCase } from "../../src/check/check-case.ts";
import type { CheckResult } from "../../src/check/check-result.ts";
import { judge } from "../../src/check/judge.ts";
import { verdictText } from "../../src/check/verdict.ts";
import { reportOf, result } from "./sample.ts";

const status = (code: number): ProbeAnswer => ({ type: "status", status: code });
const circumstances = { timeout: 1000, slow: 5000, duration: 5 };

const REFUSED: CheckCase = {
  id: "SIG-01",
  sent: "x",
  right: ["4xx"],
  best: ["401"],
  severity: "required",
  why: "y",
  fix: "mend it",
  run: async () => [],
};
const ACCEPTED: CheckCase = { ...REFUSED, right: ["200"], best: ["200"], fix: "take it" };

function verdict(checkCase: CheckCase, answers: readonly ProbeAnswer[], runs?: number) {
  const { outcome, severity, fix, answer } = judge(
    checkCase,
    { answers, ...(runs !== undefined && { runs }) },
    circumstances,
  );
  return { outcome, severity, fix, answer };
}

describe("judge", () => {
  it("passes the preferred answer, recommends it instead of another correct one, and fails a confirmed forgery with the case's own text", () => {
    expect(verdict(REFUSED, [status(401)]).outcome).toBe("passed");
    const failed = { outcome: "failed" };
    expect(verdict(REFUSED, [status(403)])).toMatchObject({ ...failed, severity: "recommended" });
    const wrong = { ...failed, severity: "required", fix: "mend it", answer: "200" };
    expect(verdict(REFUSED, [status(200)])).toMatchObject(wrong);
  });

  it.each<[ProbeAnswer, RegExp]>([
    [status(500), /catch the error/],
    [status(302), /does not refuse/],
    [{ type: "closed" }, /closes the connection/],
    [{ type: "silent" }, /no answer within 1 s/],
    [{ type: "unreachable", detail: "refused" }, /no connection \(refused\)/],
  ])("does not accept %j as a refusal", (answer, says) => {
    const fix = expect.stringMatching(says);
    expect(verdict(REFUSED, [answer])).toMatchObject({ outcome: "failed", fix });
  });

  it("only recommends a refusal instead of a crash, since that keeps a forgery out too", () => {
    const kept = { ...REFUSED, right: ["4xx", "5xx", "closed"], crash: "catch it" };
    for (const answer of [status(500), { type: "closed" } as const])
      expect(verdict(kept, [answer])).toMatchObject({ severity: "recommended", fix: "catch it" });
    expect(verdict(kept, [status(200)])).toMatchObject({ severity: "required", fix: "mend it" });
  });

  it("accepts only 200 as a confirmation, and considers every one of several answers", () => {
    const fix = expect.stringMatching(/exactly 200/);
    expect(verdict(ACCEPTED, [status(204)])).toMatchObject({ outcome: "failed", fix });
    const mixed = { outcome: "failed", answer: "200, 409" };
    expect(verdict(ACCEPTED, [status(200), status(409)])).toMatchObject(mixed);
    expect(verdict(ACCEPTED, Array(3).fill(status(200)))).toMatchObject({ answer: "3 × 200" });
  });

  it.each([401, 403])(
    "calls %d to a valid delivery unauthorised, whatever the case is about",
    (code) => {
      const fixOf = (parts: Partial<CheckCase>, answers: readonly ProbeAnswer[], runs?: number) =>
        verdict({ ...ACCEPTED, ...parts }, answers, runs).fix;
      const refuses = /^it refuses a validly signed delivery as unauthorised/;
      expect(fixOf({}, [status(code)])).toMatch(refuses);
      expect(fixOf({ right: ["200", "4xx"] }, [status(code)])).toMatch(refuses);
      expect(fixOf({ runs: 1 }, [status(200), status(code)], 1)).toMatch(refuses);
      expect(fixOf({ about: "bytes" }, [status(code)])).toBe("take it");
      expect(fixOf({}, [status(400)])).toBe("take it");
    },
  );

  it("names a forged event that ran although it was refused", () => {
    const never = { ...REFUSED, runs: 0 };
    expect(verdict(never, [status(401)], 1).fix).toMatch(/refuses a forged event, but runs it/);
    expect(verdict({ ...never, right: ["2xx", "4xx"] }, [status(200)], 1).fix).toBe("mend it");
  });

  it("names the forgeries that were confirmed among others", () => {
    const { answer, fix } = judge(
      REFUSED,
      { answers: [401, 200, 401, 200, 200, 200].map(status), confirmed: ["ping", "lead.created"] },
      circumstances,
    );
    expect({ answer, fix }).toEqual({
      answer: "401, 200, 401, 3 × 200",
      fix: "mend it; confirmed: ping, lead.created",
    });
  });

  it("fails if the event ran too often, or never", () => {
    const once = { ...ACCEPTED, runs: 1 };
    expect(verdict(once, [status(200)], 1).outcome).toBe("passed");
    expect(verdict(once, [status(200)], 2)).toMatchObject({ outcome: "failed", fix: "take it" });
    expect(verdict({ ...once, severity: "recommended" }, [status(200)], 0)).toMatchObject({
      fix: expect.stringMatching(/never ran/),
    });
  });
});

describe("verdictText", () => {
  const failed = (parts: Partial<CheckResult>) =>
    result({ outcome: "failed", right: "200, 409, 429 or 503", ...parts });
  const verdictOf = (...results: readonly CheckResult[]) => verdictText(reportOf(results), false);
  const lost = failed({ id: "DUP-13", answer: "10 × 200", runs: 6 });

  it("does not say that events that are confirmed and then lost are refused", () => {
    expect(verdictOf(lost)).toBe("failed, confirmed events do not run exactly once");
    const once = failed({ id: "DUP-11", answer: "200, 200", runs: 1 });
    expect(verdictOf(once)).toBe(verdictOf(lost));
  });

  it("says first that valid deliveries are refused", () => {
    const refused = failed({ id: "BODY-12", answer: "401", right: "200" });
    expect(verdictOf(lost, refused)).toBe("failed, valid deliveries are refused");
  });
});
