import { type LookupAddress, lookup } from "node:dns";
import { lookup as lookupNow } from "node:dns/promises";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { hostOf } from "../http/try-to-connect.ts";
import { isLocalhost } from "./localhost.ts";

/** Addresses that the internet does not route: loopback, private and link-local ones (RFC 1918, 3927, 4193, 4291). */
const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 32],
  ["10.0.0.0", 8],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
] as const)
  PRIVATE.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of [
  ["::", 127],
  ["fc00::", 7],
  ["fe80::", 10],
] as const)
  PRIVATE.addSubnet(network, prefix, "ipv6");

/** Whether an IP address is a loopback, private or link-local one. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && PRIVATE.check(address, family === 4 ? "ipv4" : "ipv6");
}

/**
 * Looks up a name, and fails if one of its addresses is public. For targets whose certificate is not checked: a name may
 * get another address at any time.
 */
export const lookupPrivate: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, options, (error, found: string | readonly LookupAddress[] | undefined, family) => {
    const addresses = typeof found === "string" ? [found] : (found ?? []).map(({ address }) => address);
    const open = addresses.find((address) => !isPrivateAddress(address));
    if (error === null && open !== undefined) {
      const message = `expected ${hostname} to have a loopback or private address with --insecure, got ${open}, a public one`;
      return callback(new Error(message), "", 0);
    }
    callback(error, found as string, family);
  });
};

/** The public address of a URL's host, by its name or looked up now; `undefined` if it has none, or is not known now. */
export async function publicAddressOf(url: URL): Promise<string | undefined> {
  const host = hostOf(url);
  if (isLocalhost(url)) return undefined;
  if (isIP(host) !== 0) return isPrivateAddress(host) ? undefined : host;
  const found = await lookupNow(host, { all: true }).catch(() => []);
  return found.find(({ address }) => !isPrivateAddress(address))?.address;
}
