import { isLoopback } from "../../http/is-loopback.ts";
import { isElsewhere } from "../inbox/elsewhere.ts";
import type { NamedInbox } from "../inbox/named-inbox.ts";
import { usageError } from "../input-errors.ts";
import type { Io } from "../io.ts";

/** What lets an agent reach other machines. */
export const ALLOW_HOSTS = "start the server with --allow hosts";

/**
 * Whether an agent may not reach an address, whatever names it: only a person allows it other
 * machines.
 */
export function isOutOfReach(url: URL, { agent }: Pick<Io, "agent">): boolean {
  return agent?.hosts === false && !isLoopback(url);
}

/** Throws `usage` if an agent may not reach an address. */
export function requireReach(url: URL, from: string | undefined, io: Pick<Io, "agent">): void {
  if (!isOutOfReach(url, io)) return;
  const named = from === undefined ? "" : ` (${from})`;
  throw usageError(`expected an address of this machine, got ${url.host}${named}: ${ALLOW_HOSTS}`);
}

/** Whether an inbox is a database that an agent may not reach. Throws `option_invalid`. */
export function isInboxOutOfReach(
  { option }: Pick<NamedInbox, "option">,
  { agent }: Pick<Io, "agent">,
): boolean {
  return agent?.hosts === false && isElsewhere(option);
}
