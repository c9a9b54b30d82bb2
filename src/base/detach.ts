import { isPromiseLike } from "./guards.ts";

/**
 * Leaves a result of a user's function alone: if it is a promise that rejects, that is reported,
 * and does not end the process.
 */
export function detach(result: unknown, report: (thrown: unknown) => void = () => {}): void {
  if (isPromiseLike(result)) Promise.resolve(result).then(undefined, report);
}
