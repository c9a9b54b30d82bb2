import { describe, expect, it } from "vitest";
import { tokenise } from "../../../src/signature/diagnose/json-tokens.ts";
import { type Extent, jsonVariants } from "../../../src/signature/diagnose/json-variants.ts";
import { named } from "./named.ts";

function variantsOf(text: string, extent: Extent = "all", tail = "") {
  const json = tokenise(text);
  if (json === undefined) throw new Error(`expected JSON, got ${text}`);
  return jsonVariants(json, [{ causes: [], tail }], extent);
}

const COMPACT = "json_spacing: compact";
const ONE_LINE = "json_spacing: a space after each comma and colon";

describe("jsonVariants", () => {
  it.each([
    ['{ "a":"é" }', '{ "a":"\\u00e9" }', "json_escapes: non-ASCII as \\u escapes"],
    ['{ "b":1,"a":2 }', '{"a":2,"b":1}', `${COMPACT} + json_key_order: alphabetical`],
    ['{"b":1,"a":2}', '{"a":2,"b":1}', "json_key_order: alphabetical"],
    ['{"type":1,"id":2}', '{"id":2,"type":1}', "json_key_order: alphabetical"],
    [
      '{"address":1,"id":2,"b":3}',
      '{"id":2,"address":1,"b":3}',
      "json_key_order: as the service describes them",
    ],
    [
      '{"aa":1,"b":2,"ab":3}',
      '{"b":2,"aa":1,"ab":3}',
      "json_key_order: shorter keys first, as databases store them",
    ],
    [
      '{"b":0,"data":{"d":1,"c":2}}',
      '{"b":0,"data":{"c":2,"d":1}}',
      "json_key_order: alphabetical",
    ],
    [
      '{"webhook":{"b":1,"a":2},"a":1}',
      '{"a":1,"webhook":{"b":1,"a":2}}',
      "json_key_order: alphabetical outside alone",
    ],
    ['{"a":null,"b":"x"}', '{"b":"x"}', "json_nulls"],
    ['{"a":{},"b":"x"}', '{"a":[],"b":"x"}', "json_empty_objects: `[]` on the signing side"],
    ['{"a":[],"b":[]}', '{"a":[],"b":{}}', "json_empty_objects: `[]` on this side"],
    ['{"a":[],"b":[]}', '{"a":{},"b":{}}', "json_empty_objects: `[]` on this side"],
    ['{"a":"\\u00e9/"}', '{"a":"é/"}', "json_escapes: no more escapes than needed"],
    ['{"a":"é/"}', '{"a":"\\u00e9\\/"}', "json_escapes: non-ASCII as \\u escapes, / as \\/"],
    [
      '{"a":[1.50]}',
      '{"a": [1.5]}',
      `${ONE_LINE} + json_numbers: as JavaScript, Python and others print them`,
    ],
    [
      '{"a":"é","b":1.50}',
      '{"a":"\\u00e9","b":1.5}',
      "json_escapes: non-ASCII as \\u escapes + json_numbers: as JavaScript, Python and others print them",
    ],
    [
      '{"b":"\\u00e9","a":{}}',
      '{"b":"é","a":[]}',
      "json_empty_objects: `[]` on the signing side + json_escapes: no more escapes than needed",
    ],
    ['{"a":1}', '{\n "a": 1\n}', "json_spacing: 1 space"],
    ['{"a":1}', '{"a": 1}', ONE_LINE],
  ])("names what makes %s from %s: %s", (text, signed, causes) => {
    expect(named(variantsOf(text), signed)[0]).toBe(causes);
  });

  it("keeps white space before the text, and ends it in each given way", () => {
    const json = tokenise(' {"a": 1}\n');
    const endings = [
      { causes: [], tail: "\n" },
      {
        causes: [{ code: "newline_at_end", meaning: "", fix: "", detail: null } as const],
        tail: "",
      },
    ];
    const variants = json === undefined ? [] : jsonVariants(json, endings, "all");
    expect(named(variants, ' {"a":1}\n')).toContain(COMPACT);
    expect(named(variants, ' {"a":1}')).toContain(`${COMPACT} + newline_at_end`);
    expect(named(variants, ' {"a": 1}')).toContain("newline_at_end");
  });

  it("tries other spellings with the first three of strings and with two of numbers, and no others with rare orders", () => {
    const variants = variantsOf('{"b":"é/<","a":[],"c":1.50e3}');
    const numbers = variants.flatMap(({ causes }) =>
      causes.filter(({ code }) => code === "json_numbers"),
    );
    expect(new Set(numbers.map(({ detail }) => detail)).size).toBeGreaterThan(2);
    expect(named(variants, '{"b":"\\u00e9/<","a":[],"c":1500}')).toHaveLength(1);
    expect(named(variants, '{"b":"\\u00e9/<","a":{},"c":1.50e3}')).toEqual([]);
    expect(named(variants, '{"b":"é/<","a":{},"c":1500}')).toEqual([]);
  });

  it("tries only libraries as a whole, the most common ones", () => {
    const text = '{"b":"é","a":1.50}';
    const libraries = variantsOf(text, "libraries");
    expect(named(libraries, '{"b": "\\u00e9", "a": 1.5}')).toHaveLength(1);
    expect(named(libraries, '{"b":"é",\n"a":1.50}')).toEqual([]);
    expect(libraries.length).toBeLessThanOrEqual(20);
  });

  it("names the causes of each library once, and none twice", () => {
    const names = variantsOf('{"b":"é/<","a":[{},null,1.50]}').map(({ causes }) =>
      causes.map(({ code, detail }) => `${code} ${detail}`).join(),
    );
    expect(
      names.filter(
        (name, at) => names.indexOf(name) !== at && !name.includes("json_empty_objects"),
      ),
    ).toEqual([]);
    expect(names).not.toContain("");
  });

  it("makes no text of more than 65 536 characters, unless it is less than four times as long", () => {
    const nested = `${"[".repeat(40)}${"0,".repeat(2000)}0${"]".repeat(40)}`;
    const made = variantsOf(nested).map(({ bytes }) => bytes()?.byteLength ?? 0);
    expect(made).toContain(0);
    expect(Math.max(...made)).toBeLessThanOrEqual(65_536);
    const long = JSON.stringify(["x".repeat(30_000), 1]);
    expect(variantsOf(long).every(({ bytes }) => bytes() !== undefined)).toBe(true);
  });
});
