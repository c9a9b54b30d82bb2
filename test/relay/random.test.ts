import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seededRandom } from "../../src/relay/random.ts";

const draw = (seed: number, count: number) => {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => random());
};

describe("seededRandom", () => {
  it("returns the numbers of mulberry32, on every machine and in every version", () => {
    // Fixed here, so that a recorded seed makes the same schedule in a later version.
    expect(draw(1, 3).map((number) => number * 2 ** 32)).toEqual([
      2_693_262_067, 11_749_833, 2_265_367_787,
    ]);
  });

  it("returns the same numbers for the same seed, from 0 up to 1", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const numbers = draw(seed, 20);
        expect(draw(seed, 20)).toEqual(numbers);
        for (const number of numbers) {
          expect(number).toBeGreaterThanOrEqual(0);
          expect(number).toBeLessThan(1);
        }
      }),
    );
  });

  it("returns other numbers for other seeds, even near ones", () => {
    const firsts = Array.from({ length: 1000 }, (_, seed) => draw(seed, 1)[0]);
    expect(new Set(firsts).size).toBe(1000);
  });

  it("is evenly distributed", () => {
    const tenths = Array.from({ length: 10 }, () => 0);
    for (const number of draw(7, 10_000)) {
      const tenth = Math.floor(number * 10);
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
    for (const count of tenths) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });
});
