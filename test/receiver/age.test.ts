import { describe, expect, it } from "vitest";
import { checkAge, tooOld } from "../../src/receiver/judge.ts";

const NOW = Date.UTC(2025, 0, 1);
const LIMITS = { maxAge: 1000, maxSkew: 50 };

describe("checkAge", () => {
  it.each([
    ["as old as allowed", -1000, undefined],
    ["one millisecond older", -1001, "too_old"],
    ["of this instant", 0, undefined],
    ["as far ahead as allowed", 50, undefined],
    ["one millisecond further ahead", 51, "future_timestamp"],
  ])("judges an event %s", (_, offset, reason) => {
    expect(checkAge(NOW + offset, NOW, LIMITS)?.reason).toBe(reason);
  });

  it("names the field", () => {
    expect(checkAge(NOW + 51, NOW, LIMITS)?.field).toBe("timestamp");
    expect(checkAge(NOW - 1001, NOW, LIMITS)).toEqual(tooOld());
    expect(tooOld()).toMatchObject({ reason: "too_old", field: "timestamp" });
  });
});
