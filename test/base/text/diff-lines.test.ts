import fc from "fast-check";
import { expect, it } from "vitest";
import { diffLines } from "../../../src/base/text/diff-lines.ts";

const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 12 });

it("removed and unchanged lines are the first text, added and unchanged lines the second", () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const diff = diffLines(before, after);
      const without = (change: string) =>
        diff.filter((line) => line.change !== change).map(({ text }) => text);
      expect(without("added")).toEqual(before);
      expect(without("removed")).toEqual(after);
    }),
  );
});

it("as few lines as possible change, and a comma at the end is no change", () => {
  expect(diffLines(['"a": 1,', '"b": 2', "}"], ['"a": 1,', '"b": 2,', '"c": 3', "}"])).toEqual([
    { change: "same", text: '"a": 1,' },
    { change: "same", text: '"b": 2,' },
    { change: "added", text: '"c": 3' },
    { change: "same", text: "}" },
  ]);
  expect(diffLines([], [])).toEqual([]);
});

it("long texts that differ throughout are compared with little memory", () => {
  const long = (word: string) => Array.from({ length: 5000 }, (_, index) => `${word} ${index}`);
  expect(diffLines(long("one"), long("other"))).toHaveLength(10_000);
});
