import { randomUUID } from "node:crypto";

/** A token for a new lease; it starts with the id of the process that holds it, if that process is registered. */
export function leaseToken(runner: string | undefined): string {
  return runner === undefined ? randomUUID() : `${runner}.${randomUUID()}`;
}
