import fc from "fast-check";
import { expect, it } from "vitest";
import { diffLines } from "../../../src/inspector/ui/diff-lines.ts";

const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 12 });

it("gives both texts back: what is removed and what stays, what is added and what stays", () => {
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

it("changes as few lines as it can, and takes a comma at the end for no change", () => {
  expect(diffLines(['"a": 1,', '"b": 2', "}"], ['"a": 1,', '"b": 2,', '"c": 3', "}"])).toEqual([
    { change: "same", text: '"a": 1,' },
    { change: "same", text: '"b": 2,' },
    { change: "added", text: '"c": 3' },
    { change: "same", text: "}" },
  ]);
  expect(diffLines([], [])).toEqual([]);
});

it("compares long texts that differ throughout without filling the memory", () => {
  const long = (word: string) => Array.from({ length: 5000 }, (_, index) => `${word} ${index}`);
  expect(diffLines(long("one"), long("other"))).toHaveLength(10_000);
});
