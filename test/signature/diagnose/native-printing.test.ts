import { describe, expect, it } from "vitest";
import { tokenise } from "../../../src/signature/diagnose/json-tokens.ts";
import { jsonOfNative, nativeVariants } from "../../../src/signature/diagnose/native-printing.ts";

/** What each language shows of a JSON text, and with a line break. */
function shown(json: string): Readonly<Record<string, string>> {
  const tokens = tokenise(json);
  const variants = tokens === undefined ? [] : nativeVariants(tokens);
  return Object.fromEntries(
    variants.map(({ causes, bytes }) => [
      causes
        .map(({ code, detail }) => `${code}: ${detail?.replace(", on the signing side", "")}`)
        .join(" + "),
      Buffer.from(bytes() ?? "").toString(),
    ]),
  );
}

const JSON_TEXT = '{"b":[1.50,true,false,null],"a":"it\'s \\"x\\"\\n"}';

describe("nativeVariants", () => {
  it("shows JSON as Python, Ruby, Java and Go do", () => {
    const python = "{'b': [1.5, True, False, None], 'a': 'it\\'s \"x\"\\n'}";
    const ruby = '{"b"=>[1.5, true, false, nil], "a"=>"it\'s \\"x\\"\\n"}';
    const java = '{b=[1.5, true, false, null], a=it\'s "x"\n}';
    expect(shown(JSON_TEXT)).toMatchObject({
      "body_not_json: as Python shows a dict": python,
      "body_not_json: as Python shows a dict + newline_at_end: one on the signing side": `${python}\n`,
      "body_not_json: as Ruby shows a hash": ruby,
      "body_not_json: as Ruby 3.4 shows a hash": ruby.replaceAll("=>", " => "),
      "body_not_json: as Java shows a map": java,
      "body_not_json: as Go shows a map": 'map[a:it\'s "x"\n b:[1.5 true false <nil>]]',
    });
    expect(shown('{"a":1}')["body_not_json: as Java shows a map that Gson has read"]).toBe(
      "{a=1.0}",
    );
  });

  it.each([
    ["a\\\\b", "'a\\\\b'"],
    ["it's", '"it\'s"'],
    ['it\'s \\"x\\"', "'it\\'s \"x\"'"],
    ["\\n\\r\\t", "'\\n\\r\\t'"],
    ['\\"', "'\"'"],
  ])("shows the string %s as Python does: %s", (inside, python) => {
    expect(shown(`["${inside}"]`)["body_not_json: as Python shows a dict"]).toBe(`[${python}]`);
  });

  it("escapes what begins code in a string of Ruby", () => {
    expect(shown('["#{a} #$b #@c # #d"]')["body_not_json: as Ruby shows a hash"]).toBe(
      '["\\#{a} \\#$b \\#@c # #d"]',
    );
  });

  it("shows no single value, which is the same as the value itself", () => {
    expect(shown('"a"')).toEqual({});
  });
});

describe("jsonOfNative", () => {
  it.each([
    ["{'a': 'x'}", '{"a": "x"}'],
    ["[{'a': True, 'b': False, 'c': None}]", '[{"a": true, "b": false, "c": null}]'],
    ["{'a': 'None \"b\" \\'c\\' \\x1b \\\\'}", '{"a": "None \\"b\\" \'c\' \\u001b \\\\"}'],
    ["{'a': \"it's \\\\ True\"}", '{"a": "it\'s \\\\ True"}'],
    [" { 'a': 1}", ' { "a": 1}'],
  ])("reads %s as Python shows it", (text, json) => {
    expect(jsonOfNative(text)).toEqual({ name: "as Python shows a dict, on this side", json });
  });

  it.each([
    ['{"a"=>nil}', '{"a":null}'],
    ['[{"a" => "nil => \\#{b}\\e"}]', '[{"a" : "nil => #{b}\\u001b"}]'],
    [' {"a"\n=>"b"}', ' {"a"\n:"b"}'],
  ])("reads %s as Ruby shows it", (text, json) => {
    expect(jsonOfNative(text)).toEqual({ name: "as Ruby shows a hash, on this side", json });
  });

  it.each(['{"a":"x"}', "{a=x}", "'a': 'x'", 'x {"a"=>1}', "{a => 1}", "{'a'}", "text"])(
    "reads nothing in %s",
    (text) => {
      expect(jsonOfNative(text)).toBeUndefined();
    },
  );
});
