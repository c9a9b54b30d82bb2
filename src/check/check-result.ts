import type { Group, Severity } from "./check-case.ts";
import type { ResponseTimes } from "./response-times.ts";

export interface CheckResult {
  readonly id: string;
  readonly group: Group;
  readonly sent: string;
  readonly outcome: "passed" | "failed" | "not_applicable";
  /** The case's severity; of a failure, how much it weighs. */
  readonly severity: Severity;
  /** The correct answers in words. */
  readonly right: string;
  /** The received answers in words; `null` if nothing was sent. */
  readonly answer: string | null;
  /** The names of the forgeries that were confirmed, if it sent several. */
  readonly confirmed: readonly string[];
  /** How often the event ran, if observed. */
  readonly runs: number | null;
  /** Why the right answers are correct. */
  readonly why: string;
  /** What is wrong with the receiver and how to fix it, or why the case was not applicable. */
  readonly fix: string | null;
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
  /** A `curl` command with a forged delivery that was confirmed; `null` if there was none. */
  readonly proof: string | null;
  readonly requests: number;
  /** ISO 8601 in UTC. */
  readonly startedAt: string;
  /** Milliseconds. */
  readonly duration: number;
  readonly results: readonly CheckResult[];
  /** How long answers took; `null` if there was none. */
  readonly responseTimes: ResponseTimes | null;
  /** Common causes of several failures. */
  readonly diagnosis: readonly string[];
  /** Why the run ended before its last case, if it did. */
  readonly stopped: string | null;
  /** The case that ended the run, if one did; `null` if none could be run. */
  readonly endedBy: string | null;
  /**
   * Whether the run ended because the receiver cannot go on, not because it cannot be reached or
   * limits its senders.
   */
  readonly isReceiversFault: boolean;
  readonly counts: ReturnType<typeof countResults>;
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

/** What was observed of a case, in words: the answers, and how often the event ran. */
export function observedText({ answer, runs }: Pick<CheckResult, "answer" | "runs">): string {
  const ran = runs === null ? "" : `, ran ${runs} ${runs === 1 ? "time" : "times"}`;
  return `${answer ?? "not observed"}${ran}`;
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
export function isFatal({ outcome, severity }: CheckResult, strict: boolean): boolean {
  return (
    outcome === "failed" && (severity === "required" || (strict && severity === "recommended"))
  );
}

export const REPORT_FORMATS = ["pretty", "json", "junit", "github", "markdown"] as const;

export type ReportFormat = (typeof REPORT_FORMATS)[number];
