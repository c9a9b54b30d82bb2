import fc from "fast-check";
import { expect, it } from "vitest";
import { readRetryAfter } from "../../src/http/retry-after.ts";

const NOW = Date.UTC(2026, 0, 15, 10);

it.each([
  ["0", 0],
  ["120", 120_000],
  [" 7 ", 7000],
  ["Thu, 15 Jan 2026 10:00:30 GMT", 30_000],
  ["thu, 15 jan 2026 10:00:30 UTC", 30_000],
  ["Thursday, 15-Jan-26 10:00:30 GMT", 30_000],
  ["Thu Jan 15 10:00:30 2026", 30_000],
  ["Thu, 15 Jan 2026 09:00:00 GMT", 0],
])("%j is read as milliseconds to wait", (value, milliseconds) => {
  expect(readRetryAfter(value, NOW)).toBe(milliseconds);
});

it("what is neither whole seconds nor a date of HTTP is ignored", () => {
  const numbers = ["-1", "1.5", "5s", "1e3", "99999999999999999999"];
  const dates = ["2026-01-15T10:00:30Z", "Thu, noon", "Thu, 99 Foo 2026 10:01:00 GMT"];
  for (const value of [null, undefined, "", "soon", ...numbers, ...dates])
    expect([value, readRetryAfter(value, NOW)]).toEqual([value, undefined]);
});

it("the result is always a time that can be waited for", () => {
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.stringMatching(/^\d{1,400}$/));
  fc.assert(
    fc.property(text, (value) => {
      const wait = readRetryAfter(value, NOW);
      expect(wait === undefined || (Number.isFinite(wait) && wait >= 0)).toBe(true);
    }),
  );
});
