import { randomUUID } from "node:crypto";

/** The exclusive right to run an entry for a time. */
export interface Lease {
  /** Starts with the id of the `Runner` that holds it and a dot, if the process is registered. */
  readonly token: string;
  /** When it ends, in milliseconds since 1970. */
  readonly until: number;
}

/** Of a UUID: 48 random bits, enough to tell the leases of one entry and one process apart. */
const RANDOM_PART = 13;

/** A token for a new lease; it starts with the id of the process that holds it, if that process is registered. */
export function leaseToken(runner: string | undefined): string {
  const token = randomUUID();
  return runner === undefined ? token : `${runner}.${token.slice(0, RANDOM_PART)}`;
}
