import { type LookupAddress, lookup } from "node:dns";
import { lookup as lookupNow } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { isLocalhost } from "../base/localhost.ts";
import { isPrivateAddress } from "../base/private-address.ts";
import { hostOf } from "../http/host-of.ts";

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
  if (isLocalhost(url.hostname)) return undefined;
  if (isIP(host) !== 0) return isPrivateAddress(host) ? undefined : host;
  const found = await lookupNow(host, { all: true }).catch(() => []);
  return found.find(({ address }) => !isPrivateAddress(address))?.address;
}
