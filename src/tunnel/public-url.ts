/**
 * A public address as a tunnel's client prints it: http or https and a host, with a port or without, and nothing else
 * but a slash at its end. `undefined` where the text is no such address.
 */
export function readPublicUrl(text: string): string | undefined {
  if (!/^https?:\/\/[^\s\\/?#@]+\/?$/i.test(text) || !URL.canParse(text)) return undefined;
  const { host, origin } = new URL(text);
  return /^[a-z0-9.:[\]_-]+$/.test(host) ? origin : undefined;
}
