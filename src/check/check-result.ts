import type { ProbeAnswer } from "./answer.ts";
import type { CheckCase } from "./catalogue.ts";
import type { Evidence, Forgery, Severity } from "./check-case.ts";
import type { Fault } from "./fault.ts";
import type { FoundCause } from "./found-cause.ts";
import type { ResponseTimes } from "./response-times.ts";
import type { Stop } from "./stop.ts";

/** How a receiver handled one case. Its sentences are made in `words/`. */
export interface CheckResult {
  readonly checkCase: CheckCase;
  readonly outcome: "passed" | "failed" | "not_applicable";
  /** The case's severity; of a failure, how much it weighs. */
  readonly severity: Severity;
  /** Empty if nothing was sent, or observed. */
  readonly answers: readonly ProbeAnswer[];
  /** The forgeries that were confirmed, if it sent several. */
  readonly confirmed: readonly Forgery[];
  /** How often the event ran, if observed. */
  readonly runs: number | null;
  /** A valid delivery that was answered 5xx, sent once more. */
  readonly resent?: Evidence["resent"];
  /** What is wrong with the receiver, or why the case was not applicable. */
  readonly fault: Fault | null;
  /**
   * Milliseconds that the receiver took for its slowest answer, from the end of the request; `null`
   * if not measured.
   */
  readonly responseTime: number | null;
  /** Milliseconds. */
  readonly duration: number;
}

export interface CheckReport {
  readonly url: string;
  /** ISO 8601 in UTC. */
  readonly startedAt: string;
  /** How long answers took; `null` if there was none. */
  readonly responseTimes: ResponseTimes | null;
  readonly results: readonly CheckResult[];
  /** Why the run ended before its last case, if it did. */
  readonly stopped: Stop | null;
  /** Common causes of several failures, most serious first. */
  readonly diagnosis: readonly FoundCause[];
  readonly counts: ReturnType<typeof countResults>;
  /** A `curl` command with a forged delivery that was confirmed; `null` if there was none. */
  readonly proof: string | null;
  /** Milliseconds. */
  readonly duration: number;
  readonly requests: number;
}

/** How cases end, and the mark of each, worst first. A failure weighs as much as its severity. */
export const MARKS = {
  required: "✗",
  recommended: "!",
  informational: "i",
  passed: "✓",
  not_applicable: "–",
} as const;

/** How a case ended. */
export type Verdict = keyof typeof MARKS;

/** How a case ended: its outcome, or how much its failure weighs. */
export function verdictOf({
  outcome,
  severity,
}: Pick<CheckResult, "outcome" | "severity">): Verdict {
  return outcome === "failed" ? severity : outcome;
}

export function countResults(results: readonly CheckResult[]) {
  const count = (verdict: Verdict) =>
    results.filter((result) => verdictOf(result) === verdict).length;
  return {
    total: results.length,
    passed: count("passed"),
    failedRequired: count("required"),
    failedRecommended: count("recommended"),
    failedInformational: count("informational"),
    notApplicable: count("not_applicable"),
  };
}

/**
 * Whether a result fails the run: a failed required case, or with `strict` a failed recommended
 * one.
 */
export function isFatal(
  { outcome, severity }: Pick<CheckResult, "outcome" | "severity">,
  strict: boolean,
): boolean {
  return (
    outcome === "failed" && (severity === "required" || (strict && severity === "recommended"))
  );
}

export const REPORT_FORMATS = ["pretty", "json", "junit", "github", "markdown"] as const;

export type ReportFormat = (typeof REPORT_FORMATS)[number];
