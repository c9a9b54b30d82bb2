import { type Rejection, rejected } from "./rejection.ts";

/** How old, and how far ahead of this machine's clock, an event may be: milliseconds. */
export interface AgeLimits {
  readonly maxAge: number;
  readonly maxSkew: number;
}

/** The rejection of an event that is too old or too far ahead; `undefined` if it is neither. */
export function checkAge(
  timestamp: number,
  now: number,
  { maxAge, maxSkew }: AgeLimits,
): Rejection | undefined {
  const age = now - timestamp;
  if (age > maxAge) return tooOld();
  if (-age > maxSkew) return rejected("future_timestamp", "timestamp").rejection;
  return undefined;
}

export function tooOld(): Rejection {
  return rejected("too_old", "timestamp").rejection;
}
