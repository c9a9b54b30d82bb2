import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  DEFAULT_RETRY,
  longestDelay,
  MAX_ASKED,
  retryDelay,
} from "../../../src/base/options/retry.ts";
import type { RetryPolicy } from "../../../src/entries/client.ts";

const EXACT: RetryPolicy = { ...DEFAULT_RETRY, jitter: 0 };

describe("retryDelay", () => {
  it("doubles from a second up to its cap", () => {
    const policy = { ...EXACT, attempts: 13 };
    const delays = Array.from({ length: 13 }, (_, index) => retryDelay(index + 1, policy, 0.5));
    expect(delays).toEqual([
      ...[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600].map((seconds) => seconds * 1000),
      undefined,
    ]);
  });

  it.each([
    [0, 1000],
    [0.5, 750],
    [0.999_999, 500],
  ])(
    "shortens a delay by up to half by default: with random number %d it is %d",
    (random, delay) => {
      expect(retryDelay(1, DEFAULT_RETRY, random)).toBe(delay);
    },
  );

  it("returns whole milliseconds from 0 to the cap, and undefined from the last attempt on", () => {
    const policy = fc.record({
      attempts: fc.oneof(fc.integer({ min: 1, max: 50 }), fc.constant(Number.POSITIVE_INFINITY)),
      delay: fc.integer({ min: 1, max: 100_000 }),
      factor: fc.double({ min: 1, max: 1000, noNaN: true }),
      maxDelay: fc.integer({ min: 0, max: 10_000_000 }),
      jitter: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(policy, fc.integer({ min: 1, max: 5000 }), random, (given, attempt, drawn) => {
        const delay = retryDelay(attempt, given, drawn);
        if (attempt >= given.attempts) return delay === undefined;
        return (
          delay !== undefined && Number.isInteger(delay) && delay >= 0 && delay <= given.maxDelay
        );
      }),
      { numRuns: 1000 },
    );
  });

  it("never returns a shorter delay for a later attempt, without jitter", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2000 }),
        fc.double({ min: 1, max: 10, noNaN: true }),
        (attempt, factor) => {
          const policy = { ...EXACT, factor, attempts: Number.POSITIVE_INFINITY };
          const [now = 0, next = 0] = [attempt, attempt + 1].map((n) => retryDelay(n, policy, 0));
          return next >= now;
        },
      ),
    );
  });

  it.each([
    ["sooner than the back-off", 20, 20],
    ["not at all", 0, 0],
    ["longer than maxDelay", 120_000, 120_000],
    ["in half a millisecond", 1.5, 2],
    ["forever", Number.POSITIVE_INFINITY, MAX_ASKED],
  ])("waits as long as a handler asks: %s", (_, asked, delay) => {
    expect(retryDelay(1, { ...EXACT, maxDelay: 30_000 }, 0.5, asked)).toBe(delay);
  });

  it("never waits longer than 10 minutes for a handler, or maxDelay if that is longer", () => {
    expect(longestDelay({ ...EXACT, maxDelay: 1 })).toBe(600_000);
    expect(retryDelay(1, { ...EXACT, maxDelay: 900_000 }, 0, 1e12)).toBe(900_000);
  });

  it("gives up after the last attempt, even if a handler asks for a delay", () => {
    expect(retryDelay(10, EXACT, 0, 5)).toBeUndefined();
  });

  it("never retries if there is only one attempt", () => {
    expect(retryDelay(1, { ...EXACT, attempts: 1 }, 0)).toBeUndefined();
  });

  it("returns a number for a delay of 0 after very many attempts", () => {
    const policy = { ...EXACT, delay: 0, attempts: Number.POSITIVE_INFINITY };
    expect(retryDelay(2000, policy, 0)).toBe(0);
  });
});
