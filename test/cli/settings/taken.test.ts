import type { Option } from "commander";
import { expect, it } from "vitest";
import { takenBy } from "../../../src/cli/settings/values.ts";
import { commands } from "../all-commands.ts";

/** Values that some reader takes; none is a number. */
const WORDS =
  "a 5s A=B A_B payment.* https://a.test wss://a.test a.test 10% 20/s /a 0..2s data.id SIG none";
const TEXTS = WORDS.split(" ").concat(
  "x-a: b",
  "payment.received=3001",
  "attempts=2",
  "2026-01-31",
);
const NUMBERS = ["1", "22", "401", "3000"];

const cases = commands.flatMap(([name, { options }]) =>
  options
    .filter(({ parseArg }) => parseArg !== undefined)
    .map((option) => [`${name} ${option.long}`, option] as const),
);

it.each(cases)("%s takes what its reader declares", (_, option) => {
  const { words, numbers, list } = takenBy(option.parseArg);
  const texts = words ?? TEXTS.filter((text) => read(option, text) !== undefined);
  const readable = texts.filter((text) => read(option, text) !== undefined);
  if (words !== undefined) {
    expect(readable).toEqual(words);
    expect(read(option, "no-such-word")).toBeUndefined();
  }
  expect(texts.length > 0).toBe(numbers !== "only");
  const digits = NUMBERS.filter((text) => read(option, text) !== undefined);
  if (numbers !== undefined) expect(digits).not.toEqual([]);
  else expect(digits.map((text) => typeof read(option, text))).not.toContain("number");
  const example = texts[0] ?? digits[0] ?? "";
  const once = read(option, example);
  const twice = read(option, example, once);
  const adds = Array.isArray(once) && Array.isArray(twice) && twice.length > once.length;
  expect(adds).toBe(list === true);
});

function read(option: Option, text: string, before?: unknown): unknown {
  try {
    return option.parseArg?.(text, before as never);
  } catch {
    return undefined;
  }
}
