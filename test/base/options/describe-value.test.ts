import { expect, it } from "vitest";
import { describeValue } from "../../../src/base/options/describe-value.ts";

it.each<[string, unknown]>([
  ["undefined", undefined],
  ["null", null],
  ["0.5", 0.5],
  ["NaN", Number.NaN],
  ["true", true],
  ["a bigint", 5n],
  ["a symbol", Symbol("x")],
  ["an empty string", ""],
  ["a string", "whsec_x"],
  ["an array", ["whsec_x"]],
  ["an object", { whsec: "x" }],
  ["an object", new Uint8Array(3)],
  ["a promise", Promise.resolve("whsec_x")],
  ["a function", () => "whsec_x"],
  ["an async function", async () => "whsec_x"],
])("describes %s without what it holds", (words, value) => {
  expect(describeValue(value)).toBe(words);
});
