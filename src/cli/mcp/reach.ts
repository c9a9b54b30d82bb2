import { isLoopback } from "../../http/is-loopback.ts";
import { isPostgresUrl, readPostgresUrl } from "../../inbox/postgres/postgres-url.ts";
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
  io: Pick<Io, "agent">,
): boolean {
  if (io.agent?.hosts !== false || !isPostgresUrl(option)) return false;
  const { hostname, searchParams } = readPostgresUrl(option);
  // they count more than the URL's own host
  const named = searchParams.getAll("host").filter((host) => host !== "");
  const hosts = named.length > 0 ? named : [hostname];
  return hosts.some((host) => !isSocket(host) && !isHere(host));
}

function isSocket(host: string): boolean {
  return host === "" || host.startsWith("/");
}

function isHere(host: string): boolean {
  const url = `tcp://${host}`;
  return URL.canParse(url) && isLoopback(new URL(url));
}
