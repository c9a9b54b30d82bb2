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

/** The allowed values of `Host` for a port: this machine's own names, and the named ones. */
export function allowedHosts(named: readonly NamedHost[], own: number) {
  // Browsers leave out the port if it is the scheme's own.
  const bare = (name: string, port: number) => (port === 80 || port === 443 ? [name] : []);
  const forwarded = named.flatMap(({ name, port = own }) => [
    `${name}:${port}`,
    ...bare(name, port),
  ]);
  const anyPort = named.flatMap(({ name, port }) => (port === undefined ? [name] : []));
  const ownHosts = ["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${own}`);
  return {
    hosts: new Set([...ownHosts, ...forwarded, ...anyPort]),
    forwarded: new Set([...forwarded, ...anyPort]),
  };
}
