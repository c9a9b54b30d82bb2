import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  CLOCK_AGREEMENT_TIME,
  type ClockTrust,
  isTrusted,
  type Moment,
  QUIET,
  TOLERANCE,
  trustAt,
  trustAtStart,
} from "../../src/receiver/clock-trust.ts";
import { DAY, MINUTE, NOW } from "./sample.ts";

const START: Moment = { wall: NOW, monotonic: 5 };

/** Advances both clocks by `ms`, and lets the wall clock jump by `leap` as well. */
function later({ last }: ClockTrust, ms: number, leap = 0): Moment {
  return { wall: last.wall + ms + leap, monotonic: last.monotonic + ms };
}

describe("trustAtStart", () => {
  it.each([
    [undefined, true],
    [NOW, true],
    [NOW + 100 * DAY, true],
    [NOW - QUIET, true],
    [NOW - QUIET - 1, false],
    [0, false],
  ])(
    "with the last entry received at %s, the clock is trusted at once: %s",
    (lastReceived, believed) => {
      const trust = trustAtStart(START, lastReceived);
      expect(isTrusted(trust)).toBe(believed);
      expect(isTrusted(trustAt(later(trust, CLOCK_AGREEMENT_TIME - 1), trust))).toBe(believed);
      expect(isTrusted(trustAt(later(trust, CLOCK_AGREEMENT_TIME), trust))).toBe(true);
    },
  );
});

describe("trustAt", () => {
  it.each([10 * DAY, -10 * DAY, TOLERANCE + 1, -TOLERANCE - 1])(
    "trusts the clock an hour after a jump of %s ms",
    (leap) => {
      const trust = trustAtStart(START, undefined);
      const leapt = trustAt(later(trust, 10 * MINUTE, leap), trust);
      expect(leapt).toMatchObject({ leap });
      expect(isTrusted(leapt)).toBe(false);
      const before = trustAt(later(leapt, CLOCK_AGREEMENT_TIME - 1), leapt);
      expect([isTrusted(before), before.leap]).toEqual([false, 0]);
      expect(isTrusted(trustAt(later(leapt, CLOCK_AGREEMENT_TIME), leapt))).toBe(true);
    },
  );

  it("does not take a slow drift for a jump, however large it becomes", () => {
    let trust = trustAtStart(START, undefined);
    for (let look = 0; look < 1000; look++) {
      const next = trustAt(later(trust, 10 * MINUTE, look % 2 === 0 ? TOLERANCE : 30_000), trust);
      expect(next.leap).toBe(0);
      trust = next;
    }
    expect(isTrusted(trust)).toBe(true);
  });

  it("never trusts the clock within an hour of a jump, for any sequence of jumps", () => {
    const step = fc.record({
      ms: fc.nat(2 * CLOCK_AGREEMENT_TIME),
      leap: fc.integer({ min: -DAY, max: DAY }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let trust = trustAtStart(START, undefined);
        let agreed = Number.POSITIVE_INFINITY;
        for (const { ms, leap } of steps) {
          trust = trustAt(later(trust, ms, leap), trust);
          agreed = Math.abs(leap) > TOLERANCE ? 0 : agreed + ms;
          expect(isTrusted(trust)).toBe(agreed >= CLOCK_AGREEMENT_TIME);
        }
      }),
    );
  });
});
