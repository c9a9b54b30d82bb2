import { type LookupAddress, lookup } from "node:dns";
import type { LookupFunction } from "node:net";

/** Both loopback addresses. */
export const LOOPBACK: readonly LookupAddress[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

/** Whether a host name is one for this machine: `localhost`, or a name below it (RFC 6761, 6.3). */
export function isLocalhost(hostname: string): boolean {
  return /^(?:.+\.)?localhost\.?$/i.test(hostname);
}

/**
 * Looks up a name for a connection. One for this machine has the loopback addresses, whatever the
 * system, its hosts file or a DNS server says: by such a name others were told where it leads.
 */
export const lookupByName: LookupFunction = (hostname, options, callback) => {
  if (isLocalhost(hostname)) answerLookup(LOOPBACK, options, callback);
  else lookup(hostname, options, callback);
};

/** Ends a lookup with addresses, in the form that its caller asked for. */
export function answerLookup(
  found: readonly LookupAddress[],
  { all }: Parameters<LookupFunction>[1],
  callback: Parameters<LookupFunction>[2],
): void {
  const [first] = found;
  if (all === true) callback(null, [...found]);
  else callback(null, first?.address ?? "", first?.family);
}
