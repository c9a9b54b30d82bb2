import { describe, expect, it } from "vitest";
import {
  someObjects,
  withEmpty,
  withoutNulls,
} from "../../../src/signature/diagnose/json-reshape.ts";
import { tokenise } from "../../../src/signature/diagnose/json-tokens.ts";

const tokens = (text: string) => tokenise(text)?.tokens ?? [];

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
