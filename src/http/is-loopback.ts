import { isLocalhost } from "../base/localhost.ts";
import { isLoopbackAddress } from "../base/private-address.ts";
import { hostOf } from "./host-of.ts";

/**
 * Whether a URL's host name means this machine. Decided by the name alone; nothing is looked up, so
 * connections go by `connectOptions`, which holds what is said here.
 */
export function isLoopback(url: URL): boolean {
  return isLocalhost(url.hostname) || isLoopbackAddress(hostOf(url));
}
