/** The host of a URL as connections and lookups take it: an IPv6 address without brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

/** The port of a URL, or that of its protocol. */
export function portOf({ port, protocol }: URL): number {
  return Number(port || (/^(?:http|ws):$/.test(protocol) ? 80 : 443));
}
