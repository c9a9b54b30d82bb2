import { createSecretKey } from "node:crypto";
import { CATALOGUE, type CaseId, type CheckCase } from "../../src/check/catalogue.ts";
import type { CheckOptions } from "../../src/check/check-options.ts";
import { type CheckReport, type CheckResult, countResults } from "../../src/check/check-result.ts";
import { runCheck as runCheckData } from "../../src/check/run-check.ts";
import { selectCases } from "../../src/check/select-cases.ts";
import { verdictOnReport } from "../../src/check/verdict.ts";
import { type ReportInWords, reportInWords } from "../../src/check/words/report.ts";
import { verdictText as textOf } from "../../src/check/words/verdicts.ts";
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

/** A report as its views show it, and the data that they make it from. */
export interface ShownReport extends ReportInWords {
  readonly data: CheckReport;
}

/** Checks a receiver, for what its report says. */
export async function runCheck(options: CheckOptions): Promise<ShownReport> {
  const data = await runCheckData(options);
  return { ...reportInWords(data), data };
}

export function verdictText({ data }: Pick<ShownReport, "data">, strict: boolean): string {
  return textOf(verdictOnReport(data, strict));
}

export function caseOf(id: CaseId): CheckCase {
  const found = CATALOGUE.find((checkCase) => checkCase.id === id);
  if (found === undefined) throw new Error(`there is no case ${id}`);
  return found;
}

/** A result of a case, passed with 401 by default. */
export function result(id: CaseId = "SIG-01", parts: Partial<CheckResult> = {}): CheckResult {
  const checkCase = caseOf(id);
  return {
    checkCase,
    outcome: "passed",
    severity: checkCase.severity,
    answers: [{ type: "status", status: 401 }],
    confirmed: [],
    runs: null,
    fault: null,
    responseTime: null,
    duration: 12,
    ...parts,
  };
}

/** Answers of these statuses. */
export function statuses(...codes: readonly number[]): CheckResult["answers"] {
  return codes.map((status) => ({ type: "status", status }));
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
    responseTimes: null,
    counts: countResults(results),
    ...parts,
  };
}
