import { expect, it } from "vitest";
import { isPrivateAddress } from "../../src/base/private-address.ts";
import { lookupPrivate, publicAddressOf } from "../../src/relay/private-address.ts";

it.each([
  "127.0.0.1",
  "127.9.9.9",
  "10.1.2.3",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "169.254.1.1",
  "0.0.0.0",
  "::1",
  "::",
  "fd00::1",
  "fc00::1",
  "fe80::1",
  "::ffff:10.0.0.1",
  "::ffff:127.0.0.1",
])("%s is private", (address) => {
  expect(isPrivateAddress(address)).toBe(true);
});

it.each([
  "8.8.8.8",
  "11.0.0.1",
  "172.15.255.255",
  "172.32.0.1",
  "192.169.0.1",
  "100.64.0.1",
  "169.253.0.1",
  "2001:db8::1",
  "::2",
  "::ffff:8.8.8.8",
  "fec0::1",
  "",
  "localhost",
  "10.0.0.1.example.com",
])("%j is not private", (address) => {
  expect(isPrivateAddress(address)).toBe(false);
});

it.each([
  ["https://127.0.0.1:3000", undefined],
  ["https://[::1]:3000", undefined],
  ["https://192.168.1.4", undefined],
  ["https://localhost", undefined],
  ["https://no-such-app.localhost", undefined],
  ["https://no-such-host.invalid", undefined],
  ["https://8.8.8.8", "8.8.8.8"],
  ["https://[2001:db8::1]", "2001:db8::1"],
  ["https://0x08080808", "8.8.8.8"],
])("the public address of %s is %s", async (url, address) => {
  expect(await publicAddressOf(new URL(url))).toBe(address);
});

/** Looks up a name, or an address, which is its own result. */
function lookedUp(name: string, all: boolean): Promise<unknown> {
  return new Promise((resolve) => {
    lookupPrivate(name, { all }, (error, found) => resolve(error ?? found));
  });
}

it.each([true, false])(
  "a name with a public address is refused when it is looked up (all: %s)",
  async (all) => {
    expect(await lookedUp("8.8.8.8", all)).toMatchObject({
      message: expect.stringContaining("a public one"),
    });
    expect(await lookedUp("10.0.0.1", all)).toEqual(
      all ? [{ address: "10.0.0.1", family: 4 }] : "10.0.0.1",
    );
    expect(await lookedUp("no-such-host.invalid", all)).toBeInstanceOf(Error);
  },
);
