import { isLoopback } from "../../http/is-loopback.ts";
import { isPostgresUrl, readPostgresUrl } from "../../inbox/postgres/postgres-url.ts";

/** Whether an inbox is a database on another machine. Throws `option_invalid`. */
export function isElsewhere(inbox: string): boolean {
  if (!isPostgresUrl(inbox)) return false;
  const { hostname, searchParams } = readPostgresUrl(inbox);
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
