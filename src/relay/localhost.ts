import { type LookupAddress, lookup } from "node:dns";
import type { LookupFunction } from "node:net";

/** Both loopback addresses. */
const LOOPBACK: readonly LookupAddress[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

/**
 * Whether a URL's host is a name for this machine (RFC 6761, 6.3), and so may be either loopback
 * address.
 */
export function isLocalhost({ hostname }: URL): boolean {
  return /^(?:.+\.)?localhost\.?$/i.test(hostname);
}

/**
 * Looks up a name for this machine: the addresses that the system has for it, then the loopback
 * addresses that it left out. A hosts file often has only one of them, and an app may listen on the
 * other.
 */
export const lookupBothFamilies: LookupFunction = (hostname, { all: _, ...options }, callback) => {
  lookup(hostname, { ...options, all: true }, (_error, found: LookupAddress[] | undefined = []) => {
    // A name below `localhost` need not be known to the system.
    const missing = LOOPBACK.filter(({ address }) =>
      found.every((listener) => listener.address !== address),
    );
    callback(null, [...found, ...missing]);
  });
};
