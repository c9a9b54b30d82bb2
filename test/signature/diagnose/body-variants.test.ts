import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { bodyVariants } from "../../../src/signature/diagnose/body-variants.ts";
import { MANY_TOKENS } from "../../../src/signature/diagnose/budget.ts";
import { named } from "./named.ts";

const variantsOf = (body: string) => bodyVariants(Buffer.from(body)).variants;

const TRIMMED = "newline_at_end: no white space around it on the signing side";

describe("bodyVariants", () => {
  it.each([
    [' {"a":"x"}', '{"a":"x"}', TRIMMED],
    ['{"a":"x"} ', '{"a":"x"}', TRIMMED],
    ['{"a":"x"}\t\r\n', '{"a":"x"}', TRIMMED],
    ["  ", "", TRIMMED],
    ["a  b\n", "a b ", "white_space"],
    ["\n\na  b", " a b", "white_space"],
    ["\na\t\tb\n", "a b", "white_space"],
    ["a\n b", "a b\n", "white_space: as `echo $BODY` prints it without quotes"],
    [
      '{  "a": "x",  "b": "y"}',
      '{\n  "a": "x",\n  "b": "y"\n}',
      "line_endings: removed on the way here",
    ],
    [
      '{  "a": "x",  "b": "y"}',
      '{\r\n  "a": "x",\r\n  "b": "y"\r\n}\r\n',
      "line_endings: removed on the way here",
    ],
    ['{\t"a": "x"}', '{\n\t"a": "x"\n}\n', "line_endings: removed on the way here"],
    ['[    "a"]', '[\n    "a"\n]', "line_endings: removed on the way here"],
    ["a", "[object Object]", "body_placeholder: [object Object]"],
    ["a", "undefined", "body_placeholder: undefined"],
    ["a", "null", "body_placeholder: null"],
    ["a", "Array", "body_placeholder: Array"],
    ["a", "{}", "body_placeholder: {}"],
    ["a", '""', 'body_placeholder: ""'],
    ["a", "", "body_empty"],
    ['a"', '"a\\""', "body_string: as a string on the signing side"],
    [' "a\\"\\u00e9"', 'a"é', "body_string: as a string on this side"],
    ["e\u0301", "\u00e9", "unicode_form: NFC on the signing side"],
    ["\u00e9", "e\u0301", "unicode_form: NFD on the signing side"],
    ["a?>", "YT8+", "body_base64: in base64 on the signing side"],
    ["YT8+\n", "a?>", "body_base64: in base64 on this side"],
    ["YQ==", "a", "body_base64: in base64 on this side"],
    ['{"Message":"a b"}', "a b", "body_wrapped: in `Message`"],
    ['{"message":"a b"}', "a b", "body_wrapped: in `message`"],
    ['{"id":0,"body":"a b"}', "a b", "body_wrapped: in `body`"],
    ['{"Body":"a\\n\\"b"}', 'a\n"b', "body_wrapped: in `Body`"],
    ['{"payload":"YWI="}', "ab", "body_wrapped: in `payload`"],
    ['{"payload":"YWI="}', "YWI=", "body_wrapped: in `payload`"],
    ['{"detail":{ "a":\n1 },"b":2}', '{ "a":\n1 }', "body_wrapped: in `detail`"],
    ['{"a":1,"data":{ "b":\t2 }}', '{ "b":\t2 }', "body_data_only"],
    [
      '{"data":{ "b":"x" }}',
      '{"b": "x"}',
      "json_spacing: a space after each comma and colon + body_data_only",
    ],
    [
      '{"a":1,"data":{"c":"x","b":"y"}}',
      '{"b":"y","c":"x"}',
      "json_key_order: alphabetical + body_data_only",
    ],
    ["{'a': 'x'}", '{"a":"x"}', "body_not_json: as Python shows a dict, on this side"],
    ['{"a"=>"x"}', '{"a":"x"}', "body_not_json: as Ruby shows a hash, on this side"],
    [
      '{"a":"x"}\n',
      '{"a": "x"}',
      "json_spacing: a space after each comma and colon + newline_at_end: none on the signing side",
    ],
    [
      '{"a":"x"}',
      '{"a": "x"}\n',
      "json_spacing: a space after each comma and colon + newline_at_end: one on the signing side",
    ],
    [
      '\uFEFF{"a":"x"}',
      '{"a": "x"}',
      "byte_order_mark: none on the signing side + json_spacing: a space after each comma and colon",
    ],
  ])("names what made %j of %j: %s", (body, signed, causes) => {
    expect(named(variantsOf(body), signed)[0]).toBe(causes);
  });

  it.each([
    ['{"a":"x"}\n', TRIMMED],
    ["a b", "white_space"],
    ["a\nb", TRIMMED],
    ['{  "a": "x",\n  "b": "y"}', "line_endings: removed"],
    ['{ "a": "x"}', "line_endings: removed"],
    ['{  "a": "x"}', "line_endings: LF"],
    ['"a" b', "body_string: as a string on this side"],
    ['["a"]', "body_string: as a string on this side"],
    ["abc", "unicode_form"],
    ["YT8+!", "body_base64: in base64 on this side"],
    ["!YT8+", "body_base64: in base64 on this side"],
    ['["payload","x"]', "body_wrapped"],
    ['{"a":{"payload":"x"}}', "body_wrapped"],
    ['{"a":"x"}', "body_not_json: as Python shows a dict, on this side"],
  ])("does not say of %j: %s", (body, causes) => {
    const said = bodyVariants(Buffer.from(body)).variants.flatMap(({ causes: all, bytes }) =>
      bytes() === undefined ? [] : all.map(({ code, detail }) => `${code}: ${detail}`),
    );
    expect(said.filter((text) => text.startsWith(causes))).toEqual([]);
  });

  it("has no other body that is the same", () => {
    const body = '{"b":"é/<","a":[1.50,{}]}';
    expect(named(variantsOf(body), body)).toEqual([]);
  });

  it("begins with few causes, and with those that need no printing", () => {
    const { variants, complete, work } = bodyVariants(Buffer.from('{"b":"é","a":1.50}'));
    const ranks = variants.map(
      ({ causes, cost }) => 2 * causes.length + Number(cost === "printed"),
    );
    expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
    expect({ complete, work }).toEqual({ complete: true, work: 300 * 9 });
    expect(bodyVariants(Buffer.from("no json"))).toMatchObject({ complete: true, work: 0 });
  });

  it("expands a small gzip to 65 536 bytes at most, and a larger one to twenty times its length", () => {
    const sizeOf = (body: Buffer) =>
      bodyVariants(body)
        .variants.find(({ causes }) => causes[0]?.code === "body_compressed")
        ?.bytes()?.byteLength;
    const zeros = (size: number) => gzipSync(Buffer.alloc(size));
    expect([sizeOf(zeros(65_536)), sizeOf(zeros(65_537))]).toEqual([65_536, undefined]);
    const noise = (bytes: number, more: number) =>
      gzipSync(Buffer.concat([randomBytes(bytes), Buffer.alloc(more)]));
    expect([sizeOf(noise(6000, 70_000)), sizeOf(noise(4000, 90_000))]).toEqual([76_000, undefined]);
    expect(named(bodyVariants(gzipSync("{}")).variants, "{}")).toContain("body_compressed: gzip");
    expect(sizeOf(Buffer.from("1f8b00", "hex"))).toBeUndefined();
  });

  it("prints JSON of many tokens only as the most common libraries do, after what is cheap", () => {
    const json = (numbers: number) => Buffer.from(`[[],${"0,".repeat(numbers - 1)}0.50]`);
    expect(bodyVariants(json(MANY_TOKENS / 2 - 2))).toMatchObject({
      complete: true,
      work: 300 * MANY_TOKENS,
    });
    const { variants, complete, work } = bodyVariants(json(MANY_TOKENS / 2 - 1));
    expect({ complete, work }).toEqual({ complete: false, work: 300 * (MANY_TOKENS + 2) });
    const printed = variants.filter(({ causes }) =>
      causes.some(({ code }) => code.startsWith("json_")),
    );
    expect(printed.length).toBeLessThanOrEqual(40);
    const firstPrinted = variants.findIndex(({ cost }) => cost === "printed");
    expect(variants.slice(0, firstPrinted).every(({ causes }) => causes.length === 1)).toBe(true);
    expect(
      variants
        .slice(firstPrinted)
        .some(({ causes, cost }) => cost !== "printed" && causes.length === 1),
    ).toBe(false);
    const last = variants.findIndex(
      ({ causes }) => causes.length > 1 && causes.some(({ code }) => code === "newline_at_end"),
    );
    expect(
      variants
        .slice(last)
        .some(({ causes }) => causes.every(({ code }) => code.startsWith("json_"))),
    ).toBe(false);
  });
});
