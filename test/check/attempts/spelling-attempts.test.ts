import { expect, it } from "vitest";
import { printings } from "../../../src/check/attempts/spelling-attempts.ts";
import {
  LIBRARIES,
  type Library,
  printJson,
} from "../../../src/signature/diagnose/json-libraries.ts";

const EVENT =
  '{"event":"e","timestamp":"2026-01-15T09:30:00.123Z","data":{"id":"p","address":"12/14 rue de l’Église, <Zürich> & \'Sons\' = 1 + 1","purchase_price":385000,"created_at":"2024-01-15T09:30:00.500Z","owner":{"id":"o"}},"webhook":{"id":"w","url":"https://x"}}';

const printed = printings(EVENT);
const textOf = ({ text }: (typeof printed)[number], library: Library) =>
  printJson(text(EVENT), library);

it("every library is tried once, with those that print the same", () => {
  const libraries = printed.flatMap((one) => one.libraries);
  expect(libraries).toHaveLength(LIBRARIES.length);
  expect(new Set(libraries)).toEqual(new Set(LIBRARIES));
  for (const one of printed)
    expect(new Set(one.libraries.map((library) => textOf(one, library))).size).toBe(1);
});

it("the first text that a library leaves unchanged is its own", () => {
  // A receiver with this library accepts that text, and is named by it.
  const texts = printed.map((one) => textOf(one, one.libraries[0]) ?? "");
  const wrong = printed.flatMap(({ libraries }, index) =>
    libraries.filter(
      (library) => texts.find((text) => printJson(text, library) === text) !== texts[index],
    ),
  );
  expect(wrong.map(({ name }) => name)).toEqual([]);
});
