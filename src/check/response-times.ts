/** Milliseconds after which an answer is slow. The sender's own limit is not shown, and many are near this. */
export const SLOW = 5000;

/** How long the receiver took to answer, from the end of a request. */
export interface ResponseTimes {
  readonly medianMs: number;
  readonly slowestMs: number;
  /** The id of the case with the slowest answer. */
  readonly slowestCase: string;
}

/** The response times of all cases, each with its slowest answer; `null` if there was none. */
export function responseTimesOf(
  results: readonly { readonly id: string; readonly responseMs: number | null }[],
): ResponseTimes | null {
  const measured = results
    .flatMap(({ id, responseMs }) => (responseMs === null ? [] : [{ id, responseMs }]))
    .sort((one, other) => one.responseMs - other.responseMs);
  const median = measured[Math.floor((measured.length - 1) / 2)];
  const slowest = measured.at(-1);
  if (median === undefined || slowest === undefined) return null;
  return { medianMs: median.responseMs, slowestMs: slowest.responseMs, slowestCase: slowest.id };
}

export function responseTimesText({ medianMs, slowestMs, slowestCase }: ResponseTimes): string {
  return `response times: median ${spanText(medianMs)}, slowest ${spanText(slowestMs)} (${slowestCase})`;
}

/** What to do about an answer that took too long. */
export function slowFix(milliseconds: number): string {
  return `answered after ${spanText(milliseconds)}, when a sender may have given up: answer as soon as the event is stored, and work later`;
}

/** The common cause of slow answers, if there were any. */
export function diagnoseTimes(times: ResponseTimes | null, slow: number): readonly string[] {
  if (times === null || times.slowestMs <= slow) return [];
  const { medianMs, slowestMs, slowestCase } = times;
  return [
    `It answers slowly: after ${spanText(medianMs)} in the median, and ${spanText(slowestMs)} at most (${slowestCase}). A sender ` +
      "that gives up sends the event again. Answer as soon as the event is stored, and work later.",
  ];
}

/** Milliseconds below a second; else seconds, whole ones from 10 s. */
function spanText(milliseconds: number): string {
  if (milliseconds < 1000) return `${milliseconds} ms`;
  return `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 1 : 0)} s`;
}
