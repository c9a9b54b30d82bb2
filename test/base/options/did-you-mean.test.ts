import fc from "fast-check";
import { expect, it } from "vitest";
import { didYouMean } from "../../../src/base/options/did-you-mean.ts";

const KNOWN = ["secret", "inbox", "schemas", "maxAge", "maxSkew", "poll", "log", "retry"];

it.each([
  ["maxage", "maxAge"],
  ["scemas", "schemas"],
  ["Secrets", "secret"],
  ["retyr", "retry"],
  ["logs", "log"],
  ["lgo", "log"],
  ["lag", "log"],
  ["la", undefined],
  ["path", undefined],
  ["frobnicate", undefined],
  ["", undefined],
])("takes %j for a misspelling of %j", (name, meant) => {
  expect(didYouMean(name, KNOWN)).toBe(meant);
});

it("prefers the closest name, and of those the first", () => {
  expect(didYouMean("max-age", ["maxEdge", "max_age", "maxAge"])).toBe("max_age");
});

it("finds a name of which one letter is missing, added or replaced", () => {
  const edit = fc.record({
    name: fc.constantFrom("schemas", "maxSkew", "secret"),
    at: fc.nat({ max: 5 }),
    removed: fc.nat({ max: 1 }),
    added: fc.constantFrom("", "q"),
  });
  fc.assert(
    fc.property(edit, ({ name, at, removed, added }) => {
      return didYouMean(name.slice(0, at) + added + name.slice(at + removed), KNOWN) === name;
    }),
  );
});
