import { isPromiseLike } from "./guards.ts";

/** What a call returns, or another value if it throws, whatever it throws. */
export function tryOr<Value, Other>(read: () => Value, otherwise: Other): Value | Other {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/**
 * Leaves a result of a user's function alone: if it is a promise that rejects, that is reported,
 * and does not end the process.
 */
export function detach(result: unknown, report: (thrown: unknown) => void = () => {}): void {
  if (isPromiseLike(result)) Promise.resolve(result).then(undefined, report);
}
