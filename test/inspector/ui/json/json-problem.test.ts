import fc from "fast-check";
import { expect, it } from "vitest";
import { findProblem } from "../../../../src/inspector/ui/json/json-problem.ts";

it.each([
  ['{"a": 1,}', "}", "expected a key in double quotes"],
  ['{"a" 1}', "1", "expected :"],
  ['{"a": [1 2]}', "2", "expected , or ]"],
  ['{"a": 1 "b": 2}', '"b"', "expected , or }"],
  ['{"a": tru}', "tru", "expected a value"],
  ['{"a": "\\x"}', '"\\x"', "this string is not valid"],
  ['{"a": 01}', "01", "expected a value"],
  ["{a: 1}", "a", "expected a key in double quotes or }"],
  ["[1] 2", "2", "expected nothing more"],
  ['{"a": 1 \n', "1", "expected , or }, got the end"],
  ["   ", " ", "expected a value, got the end"],
])("in %j the place that is wrong is %j: %s", async (text, marked, message) => {
  const problem = await findProblem(text);
  expect(problem?.message).toBe(message);
  expect(text.slice(problem?.from, problem?.to)).toBe(marked);
});

it("a text has no problem exactly if it is JSON, and a mark is within the text", async () => {
  const texts = fc.oneof(
    fc.json(),
    fc.string({ unit: fc.constantFrom(...'{}[],:"\\01-.eu '), minLength: 1 }),
  );
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      const problem = await findProblem(text);
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      expect(problem === undefined).toBe(isJson);
      if (problem === undefined) return;
      expect(problem.from).toBeGreaterThanOrEqual(0);
      expect(problem.to).toBeGreaterThan(problem.from);
      expect(problem.to).toBeLessThanOrEqual(text.length);
    }),
  );
});
