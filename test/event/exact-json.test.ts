import fc from "fast-check";
import { expect, it } from "vitest";
import { parseExact, printExact } from "../../src/event/exact-json.ts";

it("any JSON is printed as it was, numbers exactly", () => {
  const number = fc
    .tuple(fc.bigInt(), fc.option(fc.nat()), fc.option(fc.integer({ min: -400, max: 400 })))
    .map(
      ([whole, part, power]) =>
        `${whole}${part === null ? "" : `.${part}0`}${power === null ? "" : `E${power}`}`,
    );
  const text = fc.string({ unit: "binary" }).map((value) => JSON.stringify(value));
  const { value } = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      number,
      text,
      fc.constantFrom("true", "false", "null"),
      fc.array(tie("value"), { maxLength: 3 }).map((values) => `[${values.join(",")}]`),
      fc
        .array(tie("value"), { maxLength: 3 })
        .map((values) => `{${values.map((value, index) => `"k${index}":${value}`).join(",")}}`),
    ),
  }));
  fc.assert(
    fc.property(value, (json) => printExact(parseExact(json)) === json),
    { numRuns: 500 },
  );
});

it.each(["", "01", "1.", ".5", "-", "1e", "[1,]", "{1:1}", '"', "nul", "1 2"])(
  "%j is refused",
  (text) => {
    expect(() => parseExact(text)).toThrow(SyntaxError);
  },
);
