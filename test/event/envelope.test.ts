import fc from "fast-check";
import { expect, it } from "vitest";
import { envelopeSchema } from "../../src/entries/index.ts";
import { invalidField } from "../../src/event/parse-envelope.ts";

const any = fc.oneof(fc.jsonValue(), fc.constantFrom("wh_1", "wh_", "", null, [], {}));
const maybe = (good: fc.Arbitrary<unknown>) =>
  fc.option(fc.oneof({ weight: 9, arbitrary: good }, any), { nil: undefined, freq: 20 });
const webhook = fc.record({
  id: maybe(fc.string().map((rest) => `wh_${rest}`)),
  url: maybe(fc.string()),
});
const nearly = fc.record({
  event: maybe(fc.string()),
  timestamp: maybe(fc.string()),
  data: maybe(fc.dictionary(fc.string(), fc.jsonValue())),
  webhook: maybe(webhook),
});

it("the fast check accepts exactly what the schema accepts, and names the first field that the schema refuses", () => {
  let taken = 0;
  fc.assert(
    fc.property(nearly, (value) => {
      const { success, error } = envelopeSchema.safeParse(value);
      if (success) taken++;
      expect(invalidField(value) === undefined).toBe(success);
      expect(invalidField(value)).toBe(error?.issues[0]?.path.join("."));
    }),
    { numRuns: 2000 },
  );
  expect(taken).toBeGreaterThan(200);
});
