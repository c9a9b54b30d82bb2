import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { formatTimestamp, parseTimestamp } from "../../src/event/timestamp.ts";

const NOON = Date.UTC(2024, 0, 15, 12, 0, 0);

describe("parseTimestamp", () => {
  it.each([
    ["2024-01-15T12:00:00Z", NOON],
    ["2024-01-15T12:00:00.5Z", NOON + 500],
    ["2024-01-15T12:00:00.007Z", NOON + 7],
    ["2024-01-15T12:00:00.123456Z", NOON + 123],
    ["2024-01-15T12:00:00.123999999Z", NOON + 123],
    ["2024-01-15T12:00:00+00:00", NOON],
    ["2024-01-15T12:00:00.250+00:00", NOON + 250],
    ["2024-01-15T12:00:00+0000", NOON],
    ["2024-01-15T12:00:00.250+0000", NOON + 250],
    ["2024-01-15T12:00:00z", NOON],
    ["2024-01-15T12:00:00.007z", NOON + 7],
    ["2024-02-29T00:00:00Z", Date.UTC(2024, 1, 29)],
    ["1970-01-01T00:00:00Z", 0],
  ])("reads %s", (text, instant) => {
    expect(parseTimestamp(text)).toBe(instant);
  });

  it.each([
    ["30 February", "2024-02-30T00:00:00Z"],
    ["29 February of a common year", "2023-02-29T00:00:00Z"],
    ["month 13", "2024-13-01T00:00:00Z"],
    ["day 0", "2024-01-00T00:00:00Z"],
    ["a lone digit", "1"],
    ["nothing", ""],
    ["RFC 1123", "Mon, 15 Jan 2024 12:00:00 GMT"],
    ["no zone", "2024-01-15T12:00:00"],
    ["another zone", "2024-01-15T12:00:00+14:00"],
    ["a negative zero zone", "2024-01-15T12:00:00-00:00"],
    ["a negative zero zone without colon", "2024-01-15T12:00:00-0000"],
    ["another zone without colon", "2024-01-15T12:00:00+0100"],
    ["hours alone", "2024-01-15T12:00:00+00"],
    ["seconds of the zone", "2024-01-15T12:00:00+00:00:00"],
    ["a name", "2024-01-15T12:00:00UTC"],
    ["two zones", "2024-01-15T12:00:00z+0000"],
    ["hour 24", "2024-01-15T24:00:00Z"],
    ["minute 60", "2024-01-15T12:60:00Z"],
    ["a leap second", "2016-12-31T23:59:60Z"],
    ["an expanded year", "+275760-09-13T00:00:00Z"],
    ["a negative expanded year", "-275760-01-01T00:00:00Z"],
    ["Unix seconds", "1705320000"],
    ["a date alone", "2024-01-15"],
    ["no seconds", "2024-01-15T12:00Z"],
    ["lower case", "2024-01-15t12:00:00z"],
    ["a space for T", "2024-01-15 12:00:00Z"],
    ["a comma for the point", "2024-01-15T12:00:00,5Z"],
    ["an empty fraction", "2024-01-15T12:00:00.Z"],
    ["10 digits of fraction", "2024-01-15T12:00:00.1234567890Z"],
    ["space before", " 2024-01-15T12:00:00Z"],
    ["a newline after", "2024-01-15T12:00:00Z\n"],
    ["two of them", "2024-01-15T12:00:00Z2024-01-15T12:00:00Z"],
    ["digits that are not ASCII", "２０２４-01-15T12:00:00Z"],
  ])("[case 40] refuses %s", (_, text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });

  it("reads back every instant that formatTimestamp writes for the years 0 to 9999", () => {
    const instant = fc.integer({
      min: Date.UTC(2000, 0) - 2000 * 31_536_000_000,
      max: Date.UTC(9999, 11, 31),
    });
    fc.assert(fc.property(instant, (at) => parseTimestamp(formatTimestamp(at)) === at));
  });

  it("never throws, and accepts only timestamps that are integers", () => {
    const digits = fc.string({ unit: fc.constantFrom(..."0123456789-:.TZ+ "), maxLength: 35 });
    fc.assert(
      fc.property(fc.oneof(fc.string(), digits), (text) => {
        const instant = parseTimestamp(text);
        return instant === undefined || Number.isSafeInteger(instant);
      }),
    );
  });
});

describe("formatTimestamp", () => {
  it("writes the first second of 1970, before it has written any other", async () => {
    vi.resetModules();
    const fresh = await import("../../src/event/timestamp.ts");
    expect(fresh.formatTimestamp(7)).toBe("1970-01-01T00:00:00.007Z");
  });

  it("writes milliseconds and Z", () => {
    expect(formatTimestamp(NOON)).toBe("2024-01-15T12:00:00.000Z");
  });
});
