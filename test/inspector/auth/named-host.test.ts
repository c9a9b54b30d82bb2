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

it.each([
  "*",
  "*.test",
  "*:80",
  "",
  "0.0.0.0",
  "0",
  "0.0.0.0:4401",
  "[::]",
  "[::]:80",
  "a b",
  "a,b",
  "http://devbox.test",
  "devbox.test/",
  "devbox.test:0",
  "devbox.test:99999",
  "user@devbox.test",
  ".test",
])("%j is no single host", (text) => {
  expect(readNamedHost(text)).toBeUndefined();
});
