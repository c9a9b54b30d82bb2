import { expect, it } from "vitest";
import { escapeInvisible } from "../../../src/base/text/escape-invisible.ts";

it.each([
  ["a zero-width space", "a\u200bb", "a\\u200bb"],
  ["a byte order mark", "\ufeffa", "\\ufeffa"],
  ["a soft hyphen", "pay\u00adment", "pay\\u00adment"],
  ["a tag, which only a language model reads", "ok\u{e0041}", "ok\\udb40\\udc41"],
  ["a joiner between nothing", "a \u200d b", "a \\u200d b"],
  ["a joiner at the end", "a\u200d", "a\\u200d"],
  ["a filler that looks like a space", "\u3164x", "\\u3164x"],
  ["a direction mark", "\u202ea", "\\u202ea"],
  ["a lone surrogate", "\ud83d", "\\ud83d"],
  ["a line separator", "a\u2028b", "a\\u2028b"],
  [
    "a pile of accents on one letter, from the ninth",
    `e${"\u0301".repeat(10)}`,
    `e${"\u0301".repeat(8)}\\u0301\\u0301`,
  ],
])("%s is escaped", (_, text, escaped) => {
  expect(escapeInvisible(text)).toBe(escaped);
});

it.each([
  ["a heart", "❤️"],
  ["a family", "👨‍👩‍👧‍👦"],
  ["a man with a skin tone at a computer", "👩🏽‍💻"],
  ["a rainbow flag", "🏳️‍🌈"],
  ["Persian with a non-joiner", "می‌خواهم"],
  ["Hindi with a joiner", "क्‍ष"],
  ["Hebrew with points and an accent", "בְּרֵאשִׁ֖ית"],
  ["accents and other scripts", "Żółć 漢字 한국어 ไทย"],
])("%s stays whole", (_, text) => {
  expect(escapeInvisible(text)).toBe(text);
});

it("an escaped JSON text keeps its meaning", () => {
  const value = { text: "a\u200b\u{e0041}\u202e❤️" };
  expect(JSON.parse(escapeInvisible(JSON.stringify(value)))).toEqual(value);
});
