import { BlockList, isIP } from "node:net";

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

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** Whether an IP address is a loopback, private or link-local one. */
export function isPrivateAddress(address: string): boolean {
  return isIn(PRIVATE, address);
}

/** Whether an IP address is this machine's own. */
export function isLoopbackAddress(address: string): boolean {
  return isIn(LOOPBACK, address);
}

function isIn(list: BlockList, address: string): boolean {
  const family = isIP(address);
  const [bare = ""] = address.split("%"); // a link-local one may name its interface
  return family !== 0 && list.check(bare, family === 4 ? "ipv4" : "ipv6");
}
