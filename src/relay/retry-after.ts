/**
 * The milliseconds that a target's `Retry-After` asks to wait: whole seconds, or an HTTP date (RFC 9110, 10.2.3).
 * `undefined` where it asks for nothing, for a moment that is over, or in a form that is neither.
 */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? "";
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : httpDate(text) - now;
  return wait > 0 ? wait : undefined; // 0 would send again and again without a pause
}

/** An HTTP date in any of its three forms; all of them begin with the name of a day, which `Date` alone would not ask for. */
function httpDate(text: string): number {
  const date = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i.test(text) ? text : "";
  // The oldest form, of C's asctime, names no zone: all of them are in UTC.
  return Date.parse(/(?:GMT|UTC)$/.test(date) || date === "" ? date : `${date} GMT`);
}
