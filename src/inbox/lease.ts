import { randomUUID } from "node:crypto";

/** The exclusive right to run an entry for a time. */
export interface Lease {
  /** Starts with the id of the `Runner` that holds it and a dot, if the process is registered. */
  readonly token: string;
  /** When it ends, in milliseconds since 1970. */
  readonly until: number;
}

/** Of this thread: 32 random bits, enough to tell it from the other threads of its process. */
const THREAD = randomUUID().slice(0, 8);

let tokens = 0;

/** A token for a new lease; it starts with the id of the process that holds it, if that process is registered. */
export function leaseToken(runner: string | undefined): string {
  if (runner === undefined) return randomUUID();
  tokens++;
  return `${runner}.${THREAD}-${tokens}`;
}
