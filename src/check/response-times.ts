import { durationText } from "../text/duration-text.ts";

/**
 * Milliseconds after which an answer is slow. The sender's own limit is not shown, and many are
 * near this.
 */
export const SLOW = 5000;

/** How long the receiver took to answer, in milliseconds from the end of a request. */
export interface ResponseTimes {
  readonly median: number;
  readonly slowest: number;
  readonly slowestCase: string;
}

/** The response times of all cases, each with its slowest answer; `null` if there was none. */
export function responseTimesOf(
  results: readonly { readonly id: string; readonly responseTime: number | null }[],
): ResponseTimes | null {
  const measured = results
    .flatMap(({ id, responseTime }) => (responseTime === null ? [] : [{ id, responseTime }]))
    .sort((a, b) => a.responseTime - b.responseTime);
  const median = measured[Math.floor((measured.length - 1) / 2)];
  const slowest = measured.at(-1);
  if (median === undefined || slowest === undefined) return null;
  return { median: median.responseTime, slowest: slowest.responseTime, slowestCase: slowest.id };
}

export function responseTimesText({ median, slowest, slowestCase }: ResponseTimes): string {
  return `response times: median ${durationText(median)}, slowest ${durationText(slowest)} (${slowestCase})`;
}

/** What to do about an answer that took too long. */
export function slowFix(milliseconds: number): string {
  return `answered after ${durationText(milliseconds)}, when a sender may have given up: answer as soon as the event is stored, and work later`;
}

/** The common cause of slow answers, if there were any. */
export function diagnoseTimes(times: ResponseTimes | null, slow: number): readonly string[] {
  if (times === null || times.slowest <= slow) return [];
  const { median, slowest, slowestCase } = times;
  return [
    `It answers slowly: after ${durationText(median)} in the median, and ${durationText(slowest)} at most (${slowestCase}). A sender ` +
      "that gives up sends the event again. Answer as soon as the event is stored, and work later.",
  ];
}
