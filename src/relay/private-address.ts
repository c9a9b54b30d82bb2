import { BlockList, isIP } from "node:net";

/** Addresses that the internet does not route: loopback, private and link-local ones (RFC 1918, 3927, 4193, 4291). */
const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 32],
  ["10.0.0.0", 8],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
] as const) {
  PRIVATE.addSubnet(network, prefix, "ipv4");
}
for (const [network, prefix] of [
  ["::", 127],
  ["fc00::", 7],
  ["fe80::", 10],
] as const) {
  PRIVATE.addSubnet(network, prefix, "ipv6");
}

/** Whether an IP address is a loopback, private or link-local one. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && PRIVATE.check(address, family === 4 ? "ipv4" : "ipv6");
}
