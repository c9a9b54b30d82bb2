import fc from "fast-check";
import { expect, it } from "vitest";
import { readRetryAfter } from "../../src/relay/retry-after.ts";

const NOW = Date.UTC(2026, 0, 15, 10);

it.each([
  ["120", 120_000],
  [" 1 ", 1000],
  ["Thu, 15 Jan 2026 10:01:00 GMT", 60_000],
  ["Thursday, 15-Jan-26 10:01:00 GMT", 60_000],
  ["Thu Jan 15 10:01:00 2026", 60_000],
])("reads %j as milliseconds to wait", (header, wait) => {
  expect(readRetryAfter(header, NOW)).toBe(wait);
});

it.each([
  undefined,
  "",
  "0",
  "-5",
  "1.5",
  "5s",
  "soon",
  "2026-01-15T10:01:00Z",
  "Thu, 15 Jan 2026 09:59:00 GMT",
  "Thu, 99 Foo 2026 10:01:00 GMT",
])("asks for nothing with %j", (header) => {
  expect(readRetryAfter(header, NOW)).toBeUndefined();
});

it("gives a number above 0 or nothing, whatever a target sends", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (header) => {
      const wait = readRetryAfter(header, NOW);
      return wait === undefined || wait > 0;
    }),
  );
});
