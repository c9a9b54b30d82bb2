import { randomUUID } from "node:crypto";

/** A new lease's token; it starts with the id of the process that holds it, if that is registered. */
export function leaseToken(runner: string | undefined): string {
  return runner === undefined ? randomUUID() : `${runner}.${randomUUID()}`;
}
