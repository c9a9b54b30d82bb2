/** The three date forms of HTTP all begin with a day's name; `Date.parse` alone would take much more. */
const HTTP_DATE = /^(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,? .*\d{2}:\d{2}:\d{2}/;

/** Milliseconds a `Retry-After` header asks for: seconds, or a date; `undefined` where it says nothing of use. */
export function readRetryAfter(value: string | null, now: number): number | undefined {
  const text = value?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  if (!HTTP_DATE.test(text)) return undefined;
  const instant = Date.parse(/GMT$/.test(text) ? text : `${text} GMT`);
  return Number.isNaN(instant) ? undefined : Math.max(0, instant - now);
}
