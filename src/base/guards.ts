/**
 * Whether a result has to be waited for. Not judged by its class: a promise may be a library's or
 * another realm's, and the global `Promise` may have been replaced, as zone.js does. Throws what
 * its own `then` throws, if that is a getter.
 */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then === "function";
}

/** Whether a value is an object with fields: no list, no function. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is an error, be it of another realm, as those of Node are in Jest. */
export function isError(value: unknown): value is Error {
  if (value instanceof Error) return true;
  return /^\[object (?:Error|DOMException)\]$/.test(Object.prototype.toString.call(value));
}
