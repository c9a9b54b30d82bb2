import { type LookupAddress, lookup } from "node:dns";
import { lookup as lookupNow } from "node:dns/promises";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { hostOf } from "../http/try-to-connect.ts";
import { isLocalhost } from "./localhost.ts";

/**
 * Addresses that the internet does not route: loopback, private and link-local ones (RFC 1918,
 * 3927, 4193, 4291).
 */
const PRIVATE = new BlockList();
for (const [network, prefix, family] of [
  ["0.0.0.0", 32, "ipv4"],
  ["10.0.0.0", 8, "ipv4"],
  ["127.0.0.0", 8, "ipv4"],
  ["169.254.0.0", 16, "ipv4"],
  ["172.16.0.0", 12, "ipv4"],
  ["192.168.0.0", 16, "ipv4"],
  ["::", 127, "ipv6"],
  ["fc00::", 7, "ipv6"],
  ["fe80::", 10, "ipv6"],
] as const)
  PRIVATE.addSubnet(network, prefix, family);

/** Whether an IP address is a loopback, private or link-local one. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && PRIVATE.check(address, family === 4 ? "ipv4" : "ipv6");
}

/**
 * Looks up a name, and fails if one of its addresses is public. For targets whose certificate is
 * not checked: a name may get another address at any time.
 */
export const lookupPrivate: LookupFunction = (hostname, options, callback) => {
  lookup(
    hostname,
    options,
    (error, found: string | readonly LookupAddress[] | undefined, family) => {
      const addresses =
        typeof found === "string" ? [found] : (found ?? []).map(({ address }) => address);
      const open = addresses.find((address) => !isPrivateAddress(address));
      if (error === null && open !== undefined) {
        const message = `expected ${hostname} to have a loopback or private address with --insecure, got ${open}, a public one`;
        return callback(new Error(message), "", 0);
      }
      callback(error, found as string, family);
    },
  );
};

/**
 * The public address of a URL's host, by its name or looked up now; `undefined` if it has none, or
 * is not known now.
 */
export async function publicAddressOf(url: URL): Promise<string | undefined> {
  const host = hostOf(url);
  if (isLocalhost(url)) return undefined;
  if (isIP(host) !== 0) return isPrivateAddress(host) ? undefined : host;
  const found = await lookupNow(host, { all: true }).catch(() => []);
  return found.find(({ address }) => !isPrivateAddress(address))?.address;
}
