import type { CaseId } from "./catalogue.ts";

/**
 * Milliseconds after which an answer is slow. The sender's own limit is not shown, and many are
 * near this.
 */
export const SLOW = 5000;

/** How long the receiver took to answer, in milliseconds from the end of a request. */
export interface ResponseTimes {
  readonly median: number;
  readonly slowest: number;
  readonly slowestCase: CaseId;
}

/** The response times of all cases, each with its slowest answer; `null` if there was none. */
export function responseTimesOf(
  results: readonly {
    readonly checkCase: { readonly id: CaseId };
    readonly responseTime: number | null;
  }[],
): ResponseTimes | null {
  const measured = results
    .flatMap(({ checkCase: { id }, responseTime }) =>
      responseTime === null ? [] : [{ id, responseTime }],
    )
    .sort((a, b) => a.responseTime - b.responseTime);
  const median = measured[Math.floor((measured.length - 1) / 2)];
  const slowest = measured.at(-1);
  if (median === undefined || slowest === undefined) return null;
  return { median: median.responseTime, slowest: slowest.responseTime, slowestCase: slowest.id };
}

/** A common cause, with the times that show it. */
export interface SlowAnswers {
  readonly code: "slow_answers";
  readonly times: ResponseTimes;
  readonly cases: readonly CaseId[];
}

/** The common cause of slow answers, if there were any. */
export function diagnoseTimes(times: ResponseTimes | null, slow: number): readonly SlowAnswers[] {
  if (times === null || times.slowest <= slow) return [];
  return [{ code: "slow_answers", times, cases: [times.slowestCase] }];
}
