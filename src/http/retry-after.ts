/**
 * All three HTTP date formats begin with the name of a day; `Date.parse` alone would accept much
 * more.
 */
const HTTP_DATE =
  /^(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,? .*\d{2}:\d{2}:\d{2}/i;

/**
 * The milliseconds that a `Retry-After` asks to wait (RFC 9110, 10.2.3); 0 for a past date,
 * `undefined` if invalid.
 */
export function readRetryAfter(value: string | null | undefined, now: number): number | undefined {
  const text = value?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  if (!HTTP_DATE.test(text)) return undefined;
  // The asctime format names no zone; all HTTP dates are in UTC.
  const instant = Date.parse(/(?:GMT|UTC)$/.test(text) ? text : `${text} GMT`);
  return Number.isNaN(instant) ? undefined : Math.max(0, instant - now);
}
