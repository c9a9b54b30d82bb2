import { createSecretKey } from "node:crypto";
import type { CheckOptions } from "../../src/check/check-options.ts";
import type { CheckReport, CheckResult } from "../../src/check/check-result.ts";
import { countResults } from "../../src/check/check-result.ts";
import { selectCases } from "../../src/check/select-cases.ts";
import { SECRET } from "./receivers/under-test.ts";

/** Options of a short run against a receiver, with the cases of these names. */
export function optionsFor(url: URL, ...only: string[]): CheckOptions {
  return {
    url,
    cases: selectCases({ only }),
    secret: createSecretKey(SECRET, "utf8"),
    clock: Date.now,
    signatureHeader: "x-service-signature",
    timeout: 500,
    settle: 10,
    concurrency: 1,
    patience: 200,
  };
}

/** A result, passed by default. */
export function result(parts: Partial<CheckResult> = {}): CheckResult {
  return {
    id: "SIG-01",
    group: "SIG",
    sent: "no signature header",
    outcome: "passed",
    severity: "required",
    right: "4xx",
    answer: "401",
    confirmed: [],
    runs: null,
    why: "because",
    fix: null,
    responseTime: null,
    duration: 12,
    ...parts,
  };
}

/** A report of these results. */
export function reportOf(
  results: readonly CheckResult[],
  parts: Partial<CheckReport> = {},
): CheckReport {
  return {
    proof: null,
    requests: 1,
    url: "http://127.0.0.1:3000/",
    startedAt: "2026-01-15T09:30:00.000Z",
    duration: 1234,
    results,
    diagnosis: [],
    stopped: null,
    endedBy: null,
    isReceiversFault: false,
    responseTimes: null,
    counts: countResults(results),
    ...parts,
  };
}
