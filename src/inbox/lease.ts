import { randomUUID } from "node:crypto";

/** The exclusive right to run an entry for a time. */
export interface Lease {
  /** Starts with the id of the `Runner` that holds it and a dot, if the process is registered. */
  readonly token: string;
  /** When it ends, in milliseconds since 1970. */
  readonly until: number;
}

/** A token for a new lease; it starts with the id of the process that holds it, if that process is registered. */
export function leaseToken(runner: string | undefined): string {
  return runner === undefined ? randomUUID() : `${runner}.${randomUUID()}`;
}
