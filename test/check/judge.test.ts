import { describe, expect, it } from "vitest";
import type { ProbeAnswer } from "../../src/check/answer.ts";
import type { CheckCase } from "../../src/check/catalogue.ts";
import type { CheckResult } from "../../src/check/check-result.ts";
import { judge } from "../../src/check/judge.ts";
import { verdictOnReport } from "../../src/check/verdict.ts";
import { answersText } from "../../src/check/words/answers.ts";
import { faultText } from "../../src/check/words/faults.ts";
import { verdictText } from "../../src/check/words/verdicts.ts";
import { reportOf, result, statuses } from "./sample.ts";

const status = (code: number): ProbeAnswer => ({ type: "status", status: code });
const circumstances = { timeout: 1000, slow: 5000, duration: 5 };

const REFUSED: CheckCase = {
  id: "SIG-01",
  expects: { answers: ["4xx"], best: ["401"] },
  severity: "required",
  why: "signature",
  cause: "unsigned_accepted",
  send: async () => [],
};
const ACCEPTED: CheckCase = {
  ...REFUSED,
  expects: { answers: ["200"], best: ["200"] },
  cause: "valid_refused",
};

function verdict(checkCase: CheckCase, answers: readonly ProbeAnswer[], runs?: number) {
  const judged = judge(checkCase, { answers, ...(runs !== undefined && { runs }) }, circumstances);
  const { outcome, severity, fault } = judged;
  return {
    outcome,
    severity,
    code: fault?.code,
    fix: faultText(judged),
    answer: answersText(judged.answers),
  };
}

describe("judge", () => {
  it("passes the preferred answer, recommends it instead of another correct one, and fails a confirmed forgery with the case's own cause", () => {
    expect(verdict(REFUSED, [status(401)]).outcome).toBe("passed");
    const failed = { outcome: "failed" };
    expect(verdict(REFUSED, [status(403)])).toMatchObject({ ...failed, severity: "recommended" });
    const wrong = { ...failed, severity: "required", code: "unsigned_accepted", answer: "200" };
    expect(verdict(REFUSED, [status(200)])).toMatchObject(wrong);
  });

  it.each<[ProbeAnswer, string, RegExp]>([
    [status(500), "invalid_failed", /catch the error/],
    [status(302), "not_refused", /does not refuse/],
    [{ type: "closed" }, "closed", /closes the connection/],
    [{ type: "silent" }, "silent", /no answer within 1 s/],
    [{ type: "unreachable", detail: "refused" }, "unreachable", /no connection \(refused\)/],
  ])("does not accept %j as a refusal", (answer, code, says) => {
    const fix = expect.stringMatching(says);
    expect(verdict(REFUSED, [answer])).toMatchObject({ outcome: "failed", code, fix });
  });

  it("only recommends a refusal instead of a crash, since that keeps a forgery out too", () => {
    const kept: CheckCase = {
      ...REFUSED,
      expects: { answers: ["4xx", "5xx", "closed"], best: ["401"] },
      crash: "forged_value_failed",
    };
    const advised = { severity: "recommended", code: "forged_value_failed" };
    for (const answer of [status(500), { type: "closed" } as const])
      expect(verdict(kept, [answer])).toMatchObject(advised);
    const required = { severity: "required", code: "unsigned_accepted" };
    expect(verdict(kept, [status(200)])).toMatchObject(required);
  });

  it("accepts only 200 as a confirmation, and considers every one of several answers", () => {
    const fix = expect.stringMatching(/exactly 200/);
    const other = { outcome: "failed", code: "not_200", fix };
    expect(verdict(ACCEPTED, [status(204)])).toMatchObject(other);
    const mixed = { outcome: "failed", answer: "200, 409" };
    expect(verdict(ACCEPTED, [status(200), status(409)])).toMatchObject(mixed);
    expect(verdict(ACCEPTED, Array(3).fill(status(200)))).toMatchObject({ answer: "3 × 200" });
  });

  it.each([401, 403])(
    "calls %d to a valid delivery unauthorised, whatever the case is about",
    (code) => {
      const codeOf = (parts: Partial<CheckCase>, answers: readonly ProbeAnswer[], runs?: number) =>
        verdict({ ...ACCEPTED, ...parts }, answers, runs).code;
      expect(codeOf({}, [status(code)])).toBe("unauthorised");
      expect(verdict(ACCEPTED, [status(code)]).fix).toMatch(
        /^it refuses a validly signed delivery as unauthorised/,
      );
      const kept = { expects: { answers: ["200", "4xx"], best: ["200"] } };
      expect(codeOf(kept, [status(code)])).toBe("unauthorised");
      const once = { expects: { answers: ["200"], runs: 1 } };
      expect(codeOf(once, [status(200), status(code)], 1)).toBe("unauthorised");
      expect(codeOf({ about: "bytes" }, [status(code)])).toBe("valid_refused");
      expect(codeOf({}, [status(400)])).toBe("valid_refused");
    },
  );

  it("names a forged event that ran although it was refused", () => {
    const never: CheckCase = { ...REFUSED, expects: { ...REFUSED.expects, runs: 0 } };
    expect(verdict(never, [status(401)], 1)).toMatchObject({
      code: "runs_refused",
      fix: expect.stringMatching(/refuses a forged event, but runs it/),
    });
    const observed: CheckCase = { ...never, expects: { answers: ["2xx", "4xx"], runs: 0 } };
    expect(verdict(observed, [status(200)], 1).code).toBe("unsigned_accepted");
  });

  it("names the forgeries that were confirmed among others", () => {
    const judged = judge(
      REFUSED,
      {
        answers: statuses(401, 200, 401, 200, 200, 200),
        confirmed: [{ name: "ping" }, { name: "lead.created" }],
      },
      circumstances,
    );
    expect(answersText(judged.answers)).toBe("401, 200, 401, 3 × 200");
    expect(faultText(judged)).toMatch(
      /refuse deliveries without the header; confirmed: ping, lead.created$/,
    );
  });

  it("fails if the event ran too often, or never", () => {
    const once: CheckCase = { ...ACCEPTED, expects: { ...ACCEPTED.expects, runs: 1 } };
    expect(verdict(once, [status(200)], 1).outcome).toBe("passed");
    const twice = { outcome: "failed", code: "valid_refused" };
    expect(verdict(once, [status(200)], 2)).toMatchObject(twice);
    expect(verdict({ ...once, severity: "recommended" }, [status(200)], 0)).toMatchObject({
      code: "confirmed_never_ran",
      fix: expect.stringMatching(/never ran/),
    });
  });
});

describe("the verdict", () => {
  const verdictOf = (...results: readonly CheckResult[]) =>
    verdictText(verdictOnReport(reportOf(results), false));
  const lost = result("DUP-13", {
    outcome: "failed",
    answers: Array(10).fill(status(200)),
    runs: 6,
  });

  it("does not say that events that are confirmed and then lost are refused", () => {
    expect(verdictOf(lost)).toBe("failed, confirmed events do not run exactly once");
    const once = result("DUP-11", { outcome: "failed", answers: statuses(200, 200), runs: 1 });
    expect(verdictOf(once)).toBe(verdictOf(lost));
  });

  it("says first that valid deliveries are refused", () => {
    const refused = result("BODY-12", { outcome: "failed", answers: statuses(401) });
    expect(verdictOf(lost, refused)).toBe("failed, valid deliveries are refused");
  });
});
