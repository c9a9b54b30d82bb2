import { describe, expect, it } from "vitest";
import {
  printSpaced,
  SPACING,
  SPACING_LIST,
  spacingOf,
} from "../../../src/signature/diagnose/json-spacing.ts";
import { tokenise } from "../../../src/signature/diagnose/json-tokens.ts";

const TEXT = '{"a":{},"b":[],"c":[1,{"d":[2,{"e":3}]},[]],"f":{"g":4}}';
const TOKENS = tokenise(TEXT)?.tokens ?? [];

/** Written by Python and Jackson. */
const PRINTED: Partial<Record<keyof typeof SPACING, string>> = {
  compact: TEXT,
  oneLine: '{"a": {}, "b": [], "c": [1, {"d": [2, {"e": 3}]}, []], "f": {"g": 4}}',
  two: JSON.stringify(JSON.parse(TEXT), null, 2), // which prints it as Python does
  jackson: [
    '{\n  "a" : { },\n  "b" : [ ],\n  "c" : [ 1, {\n    "d" : [ 2, {',
    '      "e" : 3\n    } ]\n  }, [ ] ],\n  "f" : {\n    "g" : 4\n  }\n}',
  ].join("\n"),
};

describe("printSpaced", () => {
  it.each(Object.entries(PRINTED))("prints as by %s", (name, printed) => {
    expect(printSpaced(TOKENS, SPACING[name as keyof typeof SPACING], 1e6)).toBe(printed);
  });

  it("prints nothing that is longer than the limit", () => {
    const length = PRINTED.two?.length ?? 0;
    expect(printSpaced(TOKENS, SPACING.two, length)).toBe(PRINTED.two);
    expect(printSpaced(TOKENS, SPACING.two, length - 1)).toBeUndefined();
  });
});

describe("spacingOf", () => {
  const nameOf = (text: string) => {
    const json = tokenise(text);
    return json && spacingOf(json)?.name;
  };

  it("knows each style by what it prints, the most common first", () => {
    for (const spacing of SPACING_LIST)
      expect(nameOf(printSpaced(TOKENS, spacing, 1e6) ?? "")).toBe(spacing.name);
    expect([nameOf("1"), nameOf("[]"), nameOf('{"a": 1}')]).toEqual([
      "compact",
      "compact",
      "a space after each comma and colon",
    ]);
  });

  it("knows no style if one gap differs, however far from the start", () => {
    const rows = (last: string) => `[${'{"a": 1}, '.repeat(200)}${last}]`;
    expect([nameOf(rows('{"a": 1}')), nameOf(rows('{"a":1}')), nameOf('{ "a":1}')]).toEqual([
      SPACING.oneLine.name,
      undefined,
      undefined,
    ]);
  });
});
