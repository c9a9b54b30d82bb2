/**
 * Reads a public address as a tunnel's client prints it: http or https, a host, an optional port, and nothing after it
 * but a slash. Returns `undefined` for any other text.
 */
export function readPublicUrl(text: string): string | undefined {
  if (!/^https?:\/\/[^\s\\/?#@]+\/?$/i.test(text) || !URL.canParse(text)) return undefined;
  const { host, origin } = new URL(text);
  return /^[a-z0-9.:[\]_-]+$/.test(host) ? origin : undefined;
}
