import { describe, expect, it } from "vitest";
import {
  ESCAPES,
  plainTokens,
  RARE_ESCAPES,
  spellNumbers,
  spellStrings,
} from "../../../src/signature/diagnose/json-spelling.ts";

const ALL = { ...ESCAPES, ...RARE_ESCAPES };
const PLAIN = '"a/</é\x7f\u0085€\u2028😀<>&\'=+`\\"\\\\\\u001f\\n"';

describe("how libraries write strings", () => {
  it.each([
    ["none", PLAIN],
    ["ascii", '"a/</\\u00e9\\u007f\\u0085\\u20ac\\u2028\\ud83d\\ude00<>&\'=+`\\"\\\\\\u001f\\n"'],
    ["slash", '"a\\/<\\/é\x7f\u0085€\u2028😀<>&\'=+`\\"\\\\\\u001f\\n"'],
    [
      "asciiAndSlash",
      '"a\\/<\\/\\u00e9\x7f\\u0085\\u20ac\\u2028\\ud83d\\ude00<>&\'=+`\\"\\\\\\u001f\\n"',
    ],
    ["html", '"a/\\u003c/é\x7f\u0085€\\u2028😀\\u003c\\u003e\\u0026\'=+`\\"\\\\\\u001f\\n"'],
    [
      "gson",
      '"a/\\u003c/é\x7f\u0085€\\u2028😀\\u003c\\u003e\\u0026\\u0027\\u003d+`\\"\\\\\\u001f\\n"',
    ],
    [
      "net",
      '"a/\\u003C/\\u00E9\\u007F\\u0085\\u20AC\\u2028\\uD83D\\uDE00\\u003C\\u003E\\u0026\\u0027=\\u002B\\u0060\\u0022\\\\\\u001F\\n"',
    ],
    [
      "symfony",
      '"a\\/\\u003C\\/\\u00e9\x7f\\u0085\\u20ac\\u2028\\ud83d\\ude00\\u003C\\u003E\\u0026\\u0027=+`\\u0022\\\\\\u001f\\n"',
    ],
    ["jsonSimple", '"a\\/<\\/é\\u007F\\u0085\\u20AC\\u2028😀<>&\'=+`\\"\\\\\\u001f\\n"'],
    ["orgJson", '"a/<\\/é\x7f\\u0085\\u20ac\\u2028😀<>&\'=+`\\"\\\\\\u001f\\n"'],
  ] as const)("%s", (name, written) => {
    expect(ALL[name].spell(PLAIN)).toBe(written);
  });

  it.each([
    ['"2026-01-15T09:30:00.500Z"', '"2026-01-15T09:30:00.5Z"'],
    ['"2026-01-15T09:30:00.000Z"', '"2026-01-15T09:30:00Z"'],
    ['"2026-01-15T09:30:00.Z"', '"2026-01-15T09:30:00Z"'],
    ['"2026-01-15T09:30:00.105Z"', '"2026-01-15T09:30:00.105Z"'],
    ['"2026-01-15T09:30:00.50Z."', '"2026-01-15T09:30:00.50Z."'],
    ['"at 2026-01-15T09:30:00.50Z"', '"at 2026-01-15T09:30:00.50Z"'],
  ])("jsonNetDates of %s: %s", (plain, written) => {
    expect(ALL.jsonNetDates.spell(plain)).toBe(written);
  });
});

it("a pair of backslashes begins no escape", () => {
  expect(ESCAPES.net.spell('"\\\\u00e9\\\\\\""')).toBe('"\\\\u00e9\\\\\\u0022"');
  expect(RARE_ESCAPES.symfony.spell('"\\\\\\""')).toBe('"\\\\\\u0022"');
});

it("strings are spelt as strings, numbers as numbers, and other tokens are kept", () => {
  const tokens = ["{", '"\\u00e9\\/"', ":", "-1", ",", "2", "true", '"é"'];
  expect(plainTokens(tokens)).toEqual(["{", '"é/"', ":", "-1", ",", "2", "true", '"é"']);
  const spell = (text: string) => `<${text}>`;
  expect(spellStrings(["{", '"a"', "1", "true"], { spell })).toEqual(["{", '<"a">', "1", "true"]);
  expect(spellNumbers(["{", '"1"', "1", "-2", "true"], { spell })).toEqual([
    "{",
    '"1"',
    "<1>",
    "<-2>",
    "true",
  ]);
});
