import { type Rejection, rejected } from "./read-envelope.ts";

/** How old, and how far ahead of this machine's clock, an event may be: milliseconds. */
export interface AgeLimits {
  readonly maxAge: number;
  readonly maxSkew: number;
}

/** Why an event comes too late or too early; `undefined` where it does not. */
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

/** That an event comes too late. */
export function tooOld(): Rejection {
  return rejected("too_old", "timestamp").rejection;
}
