import { describe, expect, it } from "vitest";
import type { ProbeAnswer } from "../../src/check/answer.ts";
import type { CheckCase } from "../../src/check/check-case.ts";
import { judge } from "../../src/check/judge.ts";

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
  it("passes the preferred answer, and only recommends it instead of another correct one", () => {
    expect(verdict(REFUSED, [status(401)]).outcome).toBe("passed");
    expect(verdict(REFUSED, [status(403)])).toMatchObject({
      outcome: "failed",
      severity: "recommended",
    });
  });

  it("fails with the case's own text if a forged delivery is confirmed", () => {
    expect(verdict(REFUSED, [status(200)])).toMatchObject({
      outcome: "failed",
      severity: "required",
      fix: "mend it",
      answer: "200",
    });
  });

  it.each([
    ["a 500", status(500), /catch the error/],
    ["a redirect", status(302), /does not refuse/],
    ["a closed connection", { type: "closed" } as const, /closes the connection/],
    ["silence", { type: "silent" } as const, /no answer within 1 s/],
    [
      "no connection",
      { type: "unreachable", detail: "refused" } as const,
      /no connection \(refused\)/,
    ],
  ])("does not accept %s as a refusal", (_, answer, fix) => {
    expect(verdict(REFUSED, [answer])).toMatchObject({
      outcome: "failed",
      fix: expect.stringMatching(fix),
    });
  });

  it("only recommends a refusal instead of a crash, since that keeps a forgery out too", () => {
    const kept = { ...REFUSED, right: ["4xx", "5xx", "closed"], crash: "catch it" };
    for (const answer of [status(500), { type: "closed" } as const])
      expect(verdict(kept, [answer])).toMatchObject({ severity: "recommended", fix: "catch it" });
    expect(verdict(kept, [status(200)])).toMatchObject({ severity: "required", fix: "mend it" });
  });

  it("accepts only 200 as a confirmation", () => {
    expect(verdict(ACCEPTED, [status(204)])).toMatchObject({
      outcome: "failed",
      fix: expect.stringMatching(/exactly 200/),
    });
  });

  it.each([401, 403])(
    "calls %d to a valid delivery unauthorised, whatever the case is about",
    (code) => {
      const fix = expect.stringMatching(/^it refuses a validly signed delivery as unauthorised/);
      expect(verdict(ACCEPTED, [status(code)])).toMatchObject({ fix });
      expect(verdict({ ...ACCEPTED, right: ["200", "4xx"] }, [status(code)])).toMatchObject({
        fix,
      });
      expect(verdict({ ...ACCEPTED, runs: 1 }, [status(200), status(code)], 1)).toMatchObject({
        fix,
      });
      expect(verdict({ ...ACCEPTED, about: "bytes" }, [status(code)])).toMatchObject({
        fix: "take it",
      });
      expect(verdict(ACCEPTED, [status(400)])).toMatchObject({ fix: "take it" });
    },
  );

  it("considers every one of several answers", () => {
    expect(verdict(ACCEPTED, [status(200), status(409)])).toMatchObject({
      outcome: "failed",
      answer: "200, 409",
    });
    expect(verdict(ACCEPTED, [status(200), status(200), status(200)])).toMatchObject({
      answer: "3 × 200",
    });
  });

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
