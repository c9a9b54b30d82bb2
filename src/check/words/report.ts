import type { CaseId } from "../catalogue.ts";
import { type Group, groupOf, type Severity } from "../check-case.ts";
import type { CheckReport, CheckResult } from "../check-result.ts";
import { causeCodeOf } from "../signs.ts";
import { isReceiversFault } from "../stop.ts";
import { answersText, expectedText } from "./answers.ts";
import { SENT } from "./cases.ts";
import { causeText } from "./common-causes.ts";
import { faultText } from "./faults.ts";
import { REASONS } from "./reasons.ts";
import { stopText } from "./stops.ts";

/** A result as reports have it. */
export interface ReportedCase {
  readonly id: string;
  readonly sent: string;
  readonly severity: Severity;
  /** Why the right answers are correct. */
  readonly why: string;
  readonly group: Group;
  /** The correct answers. */
  readonly right: string;
  /** The received answers; `null` if nothing was sent. */
  readonly answer: string | null;
  /** The names of the forgeries that were confirmed, if it sent several. */
  readonly confirmed: readonly string[];
  readonly runs: number | null;
  /** What is wrong with the receiver and how to fix it, or why the case was not applicable. */
  readonly fix: string | null;
  readonly responseTime: number | null;
  readonly duration: number;
  readonly outcome: CheckResult["outcome"];
  /** The code of what `fix` says. */
  readonly cause: string | null;
}

/** A report with the sentences that are shown. */
export interface ReportInWords extends Omit<CheckReport, "results" | "stopped" | "diagnosis"> {
  readonly results: readonly ReportedCase[];
  readonly stopped: string | null;
  /** The case that ended the run, if one did; `null` if none could be run. */
  readonly endedBy: CaseId | null;
  /**
   * Whether the run ended because the receiver cannot go on, not because it cannot be reached or
   * limits its senders.
   */
  readonly isReceiversFault: boolean;
  readonly diagnosis: readonly string[];
}

export function caseInWords(result: CheckResult): ReportedCase {
  const { checkCase, severity, answers, confirmed, runs, responseTime, duration } = result;
  return {
    id: checkCase.id,
    sent: SENT[checkCase.id],
    severity,
    why: REASONS[checkCase.why],
    group: groupOf(checkCase),
    right: expectedText(checkCase.expects),
    answer: answers.length === 0 ? null : answersText(answers),
    confirmed: confirmed.map(({ name }) => name),
    runs,
    fix: faultText(result),
    responseTime,
    duration,
    outcome: result.outcome,
    cause: causeCodeOf(result),
  };
}

export function reportInWords(report: CheckReport): ReportInWords {
  const { url, startedAt, responseTimes, results, stopped, diagnosis, ...rest } = report;
  return {
    url,
    startedAt,
    responseTimes,
    results: results.map(caseInWords),
    stopped: stopped === null ? null : stopText(stopped),
    endedBy: stopped?.by ?? null,
    isReceiversFault: isReceiversFault(stopped),
    diagnosis: diagnosis.map(causeText),
    ...rest,
  };
}

/** What was observed of a case: the answers, and how often the event ran. */
export function observedText({ answer, runs }: Pick<ReportedCase, "answer" | "runs">): string {
  const ran = runs === null ? "" : `, ran ${runs} ${runs === 1 ? "time" : "times"}`;
  return `${answer ?? "not observed"}${ran}`;
}
