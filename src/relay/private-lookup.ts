import { type LookupAddress, lookup } from "node:dns";
import { lookup as lookupNow } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { isLocalhost } from "./localhost.ts";
import { isPrivateAddress } from "./private-address.ts";

/**
 * Looks up a name, and fails if one of its addresses is public. For targets whose certificate is not checked: a name may
 * get another address at any time.
 */
export const lookupPrivate: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, options, (error, found: string | readonly LookupAddress[] | undefined, family) => {
    const addresses = typeof found === "string" ? [found] : (found ?? []).map(({ address }) => address);
    const open = addresses.find((address) => !isPrivateAddress(address));
    if (error === null && open !== undefined) return callback(publicAddress(hostname, open), "", 0);
    callback(error, found as string, family);
  });
};

/** The public address of a URL's host, by its name or looked up now; `undefined` if it has none, or is not known now. */
export async function publicAddressOf(url: URL): Promise<string | undefined> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (isLocalhost(url)) return undefined;
  if (isIP(host) !== 0) return isPrivateAddress(host) ? undefined : host;
  const found = await lookupNow(host, { all: true }).catch(() => []);
  return found.find(({ address }) => !isPrivateAddress(address))?.address;
}

function publicAddress(hostname: string, address: string): Error {
  return new Error(
    `expected ${hostname} to have a loopback or private address with --insecure, got ${address}, a public one`,
  );
}
