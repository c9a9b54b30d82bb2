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

/**
 * Whether a value is an error. Not judged by its class alone: one of another realm is an error too,
 * as those of Node are in Jest.
 */
export function isError(value: unknown): value is Error {
  if (value instanceof Error) return true;
  return /^\[object (?:Error|DOMException)\]$/.test(Object.prototype.toString.call(value));
}

/** Whether a value is an error of a class of the language, such as `SyntaxError`. */
export function isErrorNamed(name: string, value: unknown): value is Error {
  return isError(value) && value.name === name;
}

/** The errors of an `AggregateError`, as of a connection to several addresses; else the value. */
export function errorsOf(value: unknown): readonly unknown[] {
  const { errors } = isError(value) ? (value as Partial<AggregateError>) : {};
  return Array.isArray(errors) ? errors : [value];
}

/** Whether a value is bytes, be they of another realm, as a `Buffer` is in Vitest with jsdom. */
export function isBytes(value: unknown): value is Uint8Array<ArrayBuffer> {
  return ArrayBuffer.isView(value) && nameOfView.call(value) === "Uint8Array";
}

/** Whether a value is an `ArrayBuffer`, of whichever realm. */
export function isArrayBuffer(value: unknown): value is ArrayBuffer {
  return Object.prototype.toString.call(value) === "[object ArrayBuffer]";
}

/** Reads the name from the value itself, so that no property of its own can change it. */
const nameOfView = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Uint8Array.prototype),
  Symbol.toStringTag,
)?.get as () => string | undefined;
