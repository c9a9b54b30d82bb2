/** The three forms of a date in HTTP all begin with a day's name; `Date.parse` alone would take much more. */
const HTTP_DATE = /^(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,? .*\d{2}:\d{2}:\d{2}/i;

/**
 * The milliseconds that a `Retry-After` header asks to wait: whole seconds, or a date (RFC 9110, 10.2.3). 0 for a moment
 * that is over, `undefined` where it says nothing of use.
 */
export function readRetryAfter(value: string | null | undefined, now: number): number | undefined {
  const text = value?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  if (!HTTP_DATE.test(text)) return undefined;
  // The oldest form, of C's asctime, names no zone: all of them are in UTC.
  const instant = Date.parse(/(?:GMT|UTC)$/.test(text) ? text : `${text} GMT`);
  return Number.isNaN(instant) ? undefined : Math.max(0, instant - now);
}
