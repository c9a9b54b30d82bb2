import fc from "fast-check";
import { expect, it } from "vitest";
import { readRetryAfter } from "../../src/client/retry-after.ts";

const now = Date.parse("2026-01-15T10:00:00Z");

it.each([
  ["0", 0],
  ["120", 120_000],
  [" 7 ", 7000],
  ["Thu, 15 Jan 2026 10:00:30 GMT", 30_000],
  ["Thursday, 15-Jan-26 10:00:30 GMT", 30_000],
  ["Thu Jan 15 10:00:30 2026", 30_000],
  ["Thu, 15 Jan 2026 09:00:00 GMT", 0],
])("reads %j", (value, milliseconds) => {
  expect(readRetryAfter(value, now)).toBe(milliseconds);
});

it.each([null, "", "soon", "-1", "1.5", "1e3", "99999999999999999999", "2026-01-15T10:00:30Z", "Thu, noon"])(
  "gets nothing from %j",
  (value) => {
    expect(readRetryAfter(value, now)).toBeUndefined();
  },
);

it("never gives a time that cannot be waited for", () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      const read = readRetryAfter(value, now);
      expect(read === undefined || (Number.isFinite(read) && read >= 0)).toBe(true);
    }),
  );
});
