/**
 * Reads a public address as a tunnel's client prints it: http or https, a host, an optional port,
 * and nothing after it but a slash. Returns `undefined` for any other text.
 */
export function readPublicUrl(text: string): string | undefined {
  if (!/^https?:\/\/[^\s\\/?#@]+\/?$/i.test(text) || !URL.canParse(text)) return undefined;
  const { host, origin } = new URL(text);
  return /^[a-z0-9.:[\]_-]+$/.test(host) ? origin : undefined;
}

/**
 * The URL for deliveries at a public address. Adds the receiver's path, unless the address already
 * has one, as behind a proxy that maps paths.
 */
export function endpointUrl(publicUrl: string, path: string): string {
  const url = new URL(publicUrl);
  // assigned, not resolved, so that no path can change the host
  if (url.pathname === "/") url.pathname = path;
  return url.href;
}
