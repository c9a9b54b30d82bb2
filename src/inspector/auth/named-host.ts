import { createHash } from "node:crypto";

/**
 * A forwarded address under which the page may be open, such as `localhost:9000` after `ssh -L`.
 */
export interface NamedHost {
  /** In lower case. An IPv6 address is in brackets. */
  readonly name: string;
  /** `undefined` means the inspector's own port, or a scheme's default. */
  readonly port: number | undefined;
}

/** Reads `NAME` or `NAME:PORT`; `undefined` for wildcards, and for all that is not one host. */
export function readNamedHost(text: string): NamedHost | undefined {
  const [, name = "", digits] =
    /^([a-z\d](?:[a-z\d.-]*[a-z\d])?|\[[\da-f:.]+\])(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const port = digits === undefined ? undefined : Number(digits);
  if (name === "" || /^(?:0+(?:\.0+){0,3}|\[[0:.]+\])$/.test(name)) return undefined;
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined;
  return { name: name.toLowerCase(), port };
}

/** The number of letters and digits of a page's name, which have 62 random bits. */
const NAME_LENGTH = 12;

/**
 * The page's name on a port. Browsers lead all of `*.localhost` to this machine, and take a name of
 * its own for a site of its own: nothing that another program left behind under `127.0.0.1`, such
 * as a service worker, sees this page. A program that knows the name on another port does not know
 * it here.
 */
export function pageName(seed: string, port: number): string {
  const digest = createHash("sha256").update(`${seed}\n${port}`).digest("hex");
  return `${BigInt(`0x${digest}`).toString(36).slice(-NAME_LENGTH)}.localhost`;
}

/**
 * The allowed values of `Host` for a port: the page's name, this machine's own names, and those of
 * forwarded addresses.
 */
export function allowedHosts(named: readonly NamedHost[], own: number, page: string) {
  // Browsers leave out the port if it is the scheme's own.
  const bare = (name: string, port: number) => (port === 80 || port === 443 ? [name] : []);
  const forwarded = named.flatMap(({ name, port = own }) => [
    `${name}:${port}`,
    ...bare(name, port),
  ]);
  const anyPort = named.flatMap(({ name, port }) => (port === undefined ? [name] : []));
  const ownHosts = [page, "127.0.0.1", "localhost", "[::1]"].flatMap((name) => [
    `${name}:${own}`,
    ...bare(name, own),
  ]);
  return {
    hosts: new Set([...ownHosts, ...forwarded, ...anyPort]),
    forwarded: new Set([...forwarded, ...anyPort]),
  };
}
