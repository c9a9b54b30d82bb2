import { describe, expect, it } from "vitest";
import {
  ALPHABETICAL,
  HASH_MAP,
  OUTER_HASH_MAP,
  SHORTER_FIRST,
} from "../../../src/signature/diagnose/json-key-orders.ts";
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
