import type { Group, Severity } from "./check-case.ts";

/** How a case ended. */
export interface CheckResult {
  readonly id: string;
  readonly group: Group;
  /** What was sent. */
  readonly sent: string;
  readonly outcome: "passed" | "failed" | "not_applicable";
  /** Of the case; of a failure, how much it weighs. */
  readonly severity: Severity;
  /** The right answers in words. */
  readonly right: string;
  /** What came back in words; `null` where nothing was sent. */
  readonly answer: string | null;
  /** How often the event ran, where that was observed. */
  readonly runs: number | null;
  /** Why the right answer is right. */
  readonly why: string;
  /** What is wrong with the receiver and how to mend it; or why the case did not apply. */
  readonly fix: string | null;
  readonly durationMs: number;
}

/** A whole run. */
export interface CheckReport {
  readonly url: string;
  /** ISO 8601 in UTC. */
  readonly startedAt: string;
  readonly durationMs: number;
  readonly results: readonly CheckResult[];
  /** Common causes of several failures. */
  readonly diagnosis: readonly string[];
  /** Why the run ended before its last case, where it did. */
  readonly stopped: string | null;
  readonly counts: CheckCounts;
}

/** How many cases ended how. */
export interface CheckCounts {
  readonly total: number;
  readonly passed: number;
  readonly failedRequired: number;
  readonly failedRecommended: number;
  readonly failedInformational: number;
  readonly notApplicable: number;
}

/** Counts results. */
export function countResults(results: readonly CheckResult[]): CheckCounts {
  const failed = (severity: Severity) =>
    results.filter((one) => one.outcome === "failed" && one.severity === severity).length;
  return {
    total: results.length,
    passed: results.filter(({ outcome }) => outcome === "passed").length,
    failedRequired: failed("required"),
    failedRecommended: failed("recommended"),
    failedInformational: failed("informational"),
    notApplicable: results.filter(({ outcome }) => outcome === "not_applicable").length,
  };
}

/** Whether a result makes the run fail: a required case that failed, or with `strict` a recommended one too. */
export function isFatal({ outcome, severity }: CheckResult, strict: boolean): boolean {
  return outcome === "failed" && (severity === "required" || (strict && severity === "recommended"));
}
