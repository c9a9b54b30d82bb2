import { expect, it } from "vitest";
import { formVariants } from "../../../src/signature/diagnose/form-variants.ts";
import { named } from "./named.ts";

const THERE = "body_form: as a form on the signing side";
const HERE = "body_form: as a form on this side";

it.each([
  ["a b/(é)'*!", "payload=a+b%2F%28%C3%A9%29%27*%21", THERE],
  ["a b/(é)'*!", "a+b%2F%28%C3%A9%29%27*%21", THERE],
  ["a b/(é)'*!", "a%20b%2F(%C3%A9)'*!", THERE],
  ["a b/(é)'*!", "a%20b%2F%28%C3%A9%29%27%2A%21", THERE],
  ["a b/(é)'*!", "a%20b/%28%C3%A9%29%27%2A%21", THERE],
  ["a+b", "a b", "body_form: its + became spaces on the signing side"],
  ["a%2Bb+c", "a+b+c", "body_form: percent-decoded on the signing side"],
  ["a%2Bb+c", "a+b c", "body_form: decoded as a form on the signing side"],
  ["a b c", "a+b+c", "body_form: its + became spaces on the way here"],
  ["payload=a%2Bb+c", "a+b c", HERE],
  ["a%2Bb+c=", "a+b c", HERE],
  ["%7B%22a%22%3A1%7D", '{"a":1}', HERE],
  ["payload=", "", HERE],
  ["a=1&payload=b", "b", HERE],
  ["a%2Bb+c", "a+b c", HERE],
])("names what makes %j from %j: %s", (text, signed, causes) => {
  expect(named(formVariants(text), signed)).toContain(causes);
});

it.each([
  ["a b+c", "a+b+c"],
  ["ab", "ab"],
  ["x payload=a", "a"],
  ["x payload=a", ""],
  ["a%2Bb c", "a+b c"],
  ["a+b=", "a b"],
])("does not say that %j was %j as a form on this side", (text, signed) => {
  expect(
    named(formVariants(text), signed).filter((causes) => /this side|way here/.test(causes)),
  ).toEqual([]);
});

it("makes nothing of what cannot be encoded or decoded", () => {
  for (const text of ["%", "a%zz", "\ud800"])
    for (const { bytes } of formVariants(text)) expect(() => bytes()).not.toThrow();
  expect(
    formVariants("plain").some(({ causes }) =>
      /became spaces on the signing|decoded/.test(`${causes[0]?.detail}`),
    ),
  ).toBe(false);
});
