import { describe, expect, it } from "vitest";
import {
  ALPHABETICAL,
  HASH_MAP,
  OUTER_HASH_MAP,
  SHORTER_FIRST,
} from "../../../src/signature/diagnose/json-key-orders.ts";
import {
  someObjects,
  withEmpty,
  withoutNulls,
} from "../../../src/signature/diagnose/json-reshape.ts";
import {
  ESCAPES,
  plainTokens,
  RARE_ESCAPES,
  spellNumbers,
  spellStrings,
} from "../../../src/signature/diagnose/json-spelling.ts";
import {
  isSame,
  memberOf,
  sortKeys,
  tokenise,
} from "../../../src/signature/diagnose/json-tokens.ts";

const tokens = (text: string) => tokenise(text)?.tokens ?? [];

describe("tokenise", () => {
  it("splits a text into tokens and the white space before, between and after them", () => {
    expect(tokenise(' {"a\\"]" :\n[1.5e-3,true,{}]}\t\n')).toEqual({
      tokens: ["{", '"a\\"]"', ":", "[", "1.5e-3", ",", "true", ",", "{", "}", "]", "}"],
      gaps: ["", "", " ", "\n", "", "", "", "", "", "", "", ""],
      lead: " ",
      tail: "\t\n",
    });
    expect(tokenise('"\\\\"')?.tokens).toEqual(['"\\\\"']);
    expect(tokenise("-1")).toEqual({ tokens: ["-1"], gaps: [""], lead: "", tail: "" });
    expect(tokens("null ")).toEqual(["null"]);
  });

  it("returns nothing for what is no JSON, or is nested more than 64 deep", () => {
    const nested = (depth: number) => `${"[".repeat(depth)}[],{}${"]".repeat(depth)}`;
    expect([tokenise(""), tokenise("{"), tokenise("{} {}"), tokenise("\u00a0{}")]).toEqual(
      Array(4).fill(undefined),
    );
    expect([tokenise(nested(63)) === undefined, tokenise(nested(64)) === undefined]).toEqual([
      false,
      true,
    ]);
    expect(tokenise('{"a":'.repeat(65) + 1 + "}".repeat(65))).toBeUndefined();
  });
});

describe("sortKeys", () => {
  it.each([
    ['{"b":{"d":[{"f":1,"e":2}],"c":{}},"a":[]}', '{"a":[],"b":{"c":{},"d":[{"e":2,"f":1}]}}'],
    ['[{"b":1,"a":"x"},[],[[]],2]', '[{"a":"x","b":1},[],[[]],2]'],
    ['{"\\u0062":1,"a":2}', '{"a":2,"\\u0062":1}'],
    ['{"a":2,"a":1}', '{"a":2,"a":1}'],
    ['{"é":1,"z":2,"B":3}', '{"B":3,"z":2,"é":1}'],
    ['"a"', '"a"'],
    ["{}", "{}"],
  ])("sorts the keys of %s at every depth", (text, sorted) => {
    expect(sortKeys(tokens(text), ALPHABETICAL).join("")).toBe(sorted);
  });

  it("sorts shorter keys first, by their bytes", () => {
    expect(sortKeys(tokens('{"bb":1,"é":2,"c":3,"aa":4}'), SHORTER_FIRST).join("")).toBe(
      '{"c":3,"aa":4,"bb":1,"é":2}',
    );
  });

  it("sorts keys as a HashMap of Java 17 does, and its table grows", () => {
    const keys =
      "a id purchase_price created_at address owner webhook event zone surface rooms type name url é 0 k1 k2 k3";
    const text = JSON.stringify(Object.fromEntries(keys.split(" ").map((key) => [`${key}`, 1])));
    const inJava =
      "owner a rooms address webhook surface k1 k2 k3 created_at é type url 0 zone purchase_price name id event";
    const sorted = sortKeys(tokens(text), HASH_MAP).filter(
      (token) => token.length > 2 && token.startsWith('"'),
    );
    expect(sorted.map((token) => JSON.parse(token)).join(" ")).toBe(inJava);
    expect(
      sortKeys(tokens('{"webhook":1,"data":{"id":1,"address":2}}'), OUTER_HASH_MAP).join(""),
    ).toBe('{"webhook":1,"data":{"id":1,"address":2}}');
  });
});

describe("memberOf", () => {
  it("finds one member of the top-level object alone", () => {
    const json = tokenise('{ "a":{"data":0}, "d\\u0061ta": { "c": 1, "b": [ 2 ] }, "z":3 }');
    const member = json && memberOf(json, "data");
    expect(member).toMatchObject({ lead: "", tail: "" });
    expect(member?.tokens.join("")).toBe('{"c":1,"b":[2]}');
    expect(member?.gaps.join("")).toBe(" ".repeat(7));
  });

  it.each(['["data",1]', '{"a":{"data":1}}', "{}", '"data"', '{"a":"data"}'])(
    "finds none in %s",
    (text) => {
      const json = tokenise(text);
      expect(json && memberOf(json, "data")).toBeUndefined();
    },
  );
});

it("isSame compares tokens and their number", () => {
  expect([
    isSame(["a"], ["a"]),
    isSame(["a"], ["b"]),
    isSame(["a"], ["a", "b"]),
    isSame([], ["a"]),
  ]).toEqual([true, false, false, false]);
});

describe("withoutNulls", () => {
  it.each([
    ['{"a":null}', "{}"],
    ['{"a":null,"b":1}', '{"b":1}'],
    ['{"b":1,"a":null}', '{"b":1}'],
    ['{"b":1,"a":null,"c":2}', '{"b":1,"c":2}'],
    ['{"a":null,"b":null,"c":null}', "{}"],
    ['{"a":null,"b":null,"c":1}', '{"c":1}'],
    ['[null,{"a":null},null]', "[null,{},null]"],
    ['{"a":[null,null],"b":{"c":null},"d":"null"}', '{"a":[null,null],"b":{},"d":"null"}'],
    ["null", "null"],
  ])("makes %s %s", (text, made) => {
    expect(withoutNulls(tokens(text)).join("")).toBe(made);
  });
});

describe("withEmpty", () => {
  it.each([
    ['{"a":{},"b":[{}],"c":{"d":1}}', "[]", '{"a":[],"b":[[]],"c":{"d":1}}'],
    ['{"a":[],"b":[{}],"c":[1]}', "{}", '{"a":{},"b":[{}],"c":[1]}'],
    ["{}", "[]", "[]"],
    ["[[]]", "{}", "[{}]"],
  ] as const)("makes of %s with %s: %s", (text, wanted, made) => {
    expect(withEmpty(tokens(text), wanted).join("")).toBe(made);
  });
});

describe("someObjects", () => {
  const made = (text: string) => someObjects(tokens(text)).map((object) => object.join(""));

  it("takes each choice of up to four empty lists for objects, and all of more", () => {
    expect(made("[1,[2]]")).toEqual([]);
    expect(made("[[],1]")).toEqual(["[{},1]"]);
    expect(made("[[],[]]")).toEqual(["[{},[]]", "[[],{}]", "[{},{}]"]);
    expect(made("[[],[],[],[]]")).toHaveLength(15);
    expect(made("[[],[],[],[],[]]")).toEqual(["[{},{},{},{},{}]"]);
  });
});

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
