import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { timerDelay } from "../../../src/base/options/timer-delay.ts";

const LONGEST = 2 ** 31 - 1;

it.each([
  [4027.77, 4028],
  [0.2, 1],
  [0, 0],
  [-3.5, 0],
  [2 ** 31, LONGEST],
  [Number.POSITIVE_INFINITY, LONGEST],
  [Number.NEGATIVE_INFINITY, 0],
  [Number.NaN, 0],
])("a delay of %s ms becomes %s", (given, expected) => {
  expect(timerDelay(given)).toBe(expected);
});

it("signals and timers accept every delay, and none ends early", () => {
  fc.assert(
    fc.property(fc.double(), (given) => {
      const delay = timerDelay(given);
      expect(Number.isInteger(delay) && delay >= 0 && delay <= LONGEST).toBe(true);
      expect(() => AbortSignal.timeout(delay)).not.toThrow();
      if (given <= LONGEST) expect(delay).toBeGreaterThanOrEqual(given);
    }),
    { numRuns: 200 },
  );
});

it("every signal of the sources gets a constant, a checked time-out or a delay that it accepts", () => {
  const source = join(import.meta.dirname, "..", "..", "..", "src");
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.tsx?$/.test(name),
  );
  const given = files.flatMap((file) => {
    const text = readFileSync(join(source, file), "utf8").replaceAll(
      /\/\*[\s\S]*?\*\/|\/\/.*$/gm,
      "",
    );
    return [...text.matchAll(/AbortSignal\.timeout\((.*?)[)(]/g)].map(
      ([, what = ""]) => `${file}: ${what}`,
    );
  });
  expect(given.length).toBeGreaterThan(2);
  const unsafe = given.filter((text) => !/: (?:[A-Z_]+|timerDelay)$/.test(text));
  expect(unsafe).toEqual([]);
});
