import { expect, it } from "vitest";
import { readNamedHost } from "../../../src/inspector/auth/named-host.ts";

it.each([
  ["devbox.test", { name: "devbox.test", port: undefined }],
  ["LOCALHOST:9000", { name: "localhost", port: 9000 }],
  ["10.0.0.7:4401", { name: "10.0.0.7", port: 4401 }],
  ["[fd00::1]:80", { name: "[fd00::1]", port: 80 }],
])("%s names one host", (text, expected) => {
  expect(readNamedHost(text)).toEqual(expected);
});

it("patterns, all addresses and what is no host are no single host", () => {
  const patterns = ["*", "*.test", "*:80", "a,b"];
  const all = ["0.0.0.0", "0", "0.0.0.0:4401", "[::]", "[::]:80"];
  const urls = ["http://devbox.test", "devbox.test/", "user@devbox.test"];
  const ports = ["devbox.test:0", "devbox.test:99999"];
  for (const text of [...patterns, ...all, ...urls, ...ports, "", "a b", ".test"])
    expect([text, readNamedHost(text)]).toEqual([text, undefined]);
});
