import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CanonicalJson, MAX_DEPTH } from "../../src/event/canonical-json.ts";
import { canonicalNumber } from "../../src/event/canonical-number.ts";
import type { JsonFault } from "../../src/event/json-fault.ts";
import { processorTimeOf } from "../processor-time.ts";
import { anyDraw, anyTree, type Tree, write } from "./json-text.ts";

describe("CanonicalJson", () => {
  it.each([
    ['{ "a" : 1.0 }', "1"],
    ['\r\n\t{"a":"x\\u0041\\/"}', '"xA/"'],
    ['{"a":"\\u00e9"}', '"é"'],
    ['{"a":"\\ud83d\\ude00"}', '"😀"'],
    ['{"a":"\\ud800"}', '"\\ud800"'],
    ['{"a":{"z":1,"y":[ true , null,\nfalse ]}}', '{"y":[true,null,false],"z":1}'],
    ['{"a":{"\\u0062":1,"a":2}}', '{"a":2,"b":1}'],
    ['{"a":[]}', "[]"],
    ['{"a":{ }}', "{}"],
    ['{"a":[ ]}', "[]"],
    ['{"a":"\\\\\\""}', '"\\\\\\""'],
    ['{"a":1,"b":{"a":[{"a":1}]}}', "1"],
    ['{"\\u0061":1,"":2}', "1"],
  ])("returns the canonical form of the member a of %j", (text, canonical) => {
    expect(canonicalOf(text, "a")).toBe(canonical);
  });

  it("returns the position of each member's value, after a byte order mark, too", () => {
    const text = '  {"a" :  "x" , "é":[1, 2] , "b": 1.0 }  ';
    for (const bytes of [Buffer.from(text), Buffer.from(`\ufeff${text}`)]) {
      const json = new CanonicalJson();
      expect(json.read(bytes)).toBeUndefined();
      const texts = ["a", "b"].map((key) => {
        const { start, end } = json.span(key) ?? {};
        return bytes.toString("utf8", start, end);
      });
      expect(texts).toEqual(['"x"', "1.0"]);
      expect(json.span("c")).toBeUndefined();
    }
  });

  it("writes several values as a list", () => {
    const json = new CanonicalJson();
    expect(json.read(Buffer.from('{"b":{"y":1,"x":2},"a":"1"}'))).toBeUndefined();
    expect(Buffer.from(json.listOf("a", "b")).toString()).toBe('["1",{"x":2,"y":1}]');
  });

  it("writes the same as when the value is printed", () => {
    fc.assert(
      fc.property(anyTree, anyDraw, (tree, draw) => {
        expect(canonicalOf(`{"a":${write(tree, draw)}}`, "a")).toBe(printed(tree));
      }),
      { numRuns: 1000 },
    );
  });

  it.each<[string, Tree]>([
    ["one long string", "x".repeat(160_000)],
    ["one long string with characters of two, three and four bytes", "é漢😀".repeat(32_000)],
    ["one long string with escapes and lone surrogates", '\n"\ud800x\udc00'.repeat(32_000)],
    ...["", "é", '"'].map((end): [string, Tree] => [
      `strings of 50 to 80 characters with ${end === "" ? "nothing" : end} at their end`,
      Array.from({ length: 30 }, (_, more) => `${"y".repeat(50 + more)}${end}`),
    ]),
    ["many short values", Array.from({ length: 32_000 }, (_, index) => `item ${index}`)],
    [
      "numbers that become longer",
      Array.from({ length: 50_000 }, () => ({ digits: 15n, power: -1 })),
    ],
    [
      "many members",
      {
        members: Array.from({ length: 9000 }, (_, index) => [`key ${index}`, [null, `é${index}`]]),
      },
    ],
    [
      "long members that change places",
      { members: ["d", "c", "b", "a"].map((key) => [key, `${key}-`.repeat(20_000)] as const) },
    ],
  ])("writes %s", (_, long) => {
    expect(canonicalOf(`{"b":${write(long, () => 1)},"a":1}`, "b")).toBe(printed(long));
  });

  it("keeps nothing of one text for the next", () => {
    const json = new CanonicalJson();
    const read = (text: string) => {
      expect(json.read(Buffer.from(text))).toBeUndefined();
      const list = Buffer.from(json.listOf("a")).toString();
      json.release();
      return list;
    };
    expect(read(`{"a":"${"x".repeat(200_000)}"}`)).toHaveLength(200_004);
    expect(read('{"a":{"c":"\\n","b":1}}')).toBe('[{"b":1,"c":"\\n"}]');
    expect(json.read(Buffer.from('{"a":{"b":1,"b":2}}'))).toBeDefined();
    expect(read(`{"a":["${"x".repeat(70)}"]}`)).toBe(`[["${"x".repeat(70)}"]]`);
    expect(json.span("a")).toBeUndefined();
  });

  it.each([
    ['{"a":1,"a":1}', "a"],
    ['{"a":1,"\\u0061":2}', "a"],
    ['{"data":{"amount":1,"amount":2}}', "data.amount"],
    ['{"data":[0,{"a":1,"a":2}]}', "data.1.a"],
    ['{"":1,"":2}', ""],
    ['{"\\/":1,"/":2}', "/"],
  ])("[case 31] finds the duplicate key in %s", (text, path) => {
    expect(faultOf(text)).toEqual({ reason: "duplicate_key", path });
  });

  it.each([0, 15, 16, 17, 39])("[case 31] finds a duplicate of key %i among 40 keys", (index) => {
    expect(faultOf(`{"data":${objectOf(KEYS, `"${KEYS[index]}":1`)}}`)).toEqual({
      reason: "duplicate_key",
      path: `data.${KEYS[index]}`,
    });
  });

  it.each([15, 16, 17, 40])(
    "[case 41] returns one canonical form for %i keys in any order",
    (count) => {
      const keys = KEYS.slice(0, count);
      const forms = [keys, keys.toReversed(), [...keys.slice(7), ...keys.slice(0, 7)]].map(
        (order) => canonicalOf(`{"a":${objectOf(order)}}`, "a"),
      );
      expect(forms).toEqual(forms.map(() => objectOf(keys)));
    },
  );

  it.each([
    ['{"__proto__":{}}', "__proto__"],
    ['{"\\u005f_proto__":1}', "__proto__"],
    ['{"data":[{"x":{"__proto__":null}}]}', "data.0.x.__proto__"],
    ['{"constructor":{"prototype":{}}}', "constructor.prototype"],
    ['{"data":{"constructor":{"a":1,"prot\\u006ftype":1}}}', "data.constructor.prototype"],
  ])("[case 32] refuses the dangerous key in %s", (text, path) => {
    expect(faultOf(text)).toEqual({ reason: "forbidden_key", path });
  });

  it.each([
    '{"constructor":"Bouygues"}',
    '{"constructor":{"name":"Bouygues"}}',
    '{"prototype":{"constructor":1}}',
    '{"data":{"prototype":true,"proto":1,"__proto":2}}',
    '{"toString":1,"hasOwnProperty":2}',
    '{"":1}',
    " { } ",
  ])("[case 32] accepts the legitimate keys of %s", (text) => {
    expect(faultOf(text)).toBeUndefined();
  });

  it.each([
    ["lists", "[", "]", "1"],
    ["objects", '{"a":', "}", "1"],
    ["empty lists", "[", "]", ""],
  ])(`[case 33] accepts ${MAX_DEPTH} levels of %s, and not one more`, (_, open, close, inner) => {
    const nested = (levels: number) => {
      // The top-level object is the first level.
      const rest = levels - 1;
      return `{"a":${open.repeat(rest)}${inner}${close.repeat(rest)}}`;
    };
    expect(faultOf(nested(MAX_DEPTH))).toBeUndefined();
    expect(faultOf(nested(MAX_DEPTH + 1))?.reason).toBe("too_deep");
  });

  it("keeps a fault's path short, however long the key", () => {
    const key = "k".repeat(1_000_000);
    const fault = faultOf(`{"${key}":1,"${key}":2}`);
    expect(fault?.reason).toBe("duplicate_key");
    expect(fault?.path.length).toBeLessThanOrEqual(200);
  });

  it("[case 34] walks 100 000 keys and 500 000 list items in bounded time", () => {
    const keys = Array.from({ length: 100_000 }, (_, index) => `"k${index}":${index}`).join(",");
    const text = `{"data":{${keys}},"list":[${"1,".repeat(499_999)}1]}`;
    const spent = processorTimeOf(() => expect(faultOf(text)).toBeUndefined());
    expect(spent).toBeLessThan(3000);
  });
});

/** In order. */
const KEYS = Array.from({ length: 40 }, (_, index) => `k${10 + index}`);

function objectOf(keys: readonly string[], ...more: readonly string[]): string {
  return `{${[...keys.map((key) => `"${key}":0`), ...more].join(",")}}`;
}

function canonicalOf(text: string, key: string): string {
  JSON.parse(text); // the reader's condition
  const json = new CanonicalJson();
  expect(json.read(Buffer.from(text))).toBeUndefined();
  return Buffer.from(json.listOf(key)).toString().slice(1, -1);
}

function faultOf(text: string): JsonFault | undefined {
  JSON.parse(text);
  return new CanonicalJson().read(Buffer.from(text));
}

/** The canonical form, printed from the value and not from a text. */
function printed(tree: Tree): string {
  if (tree === null || typeof tree === "boolean") return String(tree);
  if (typeof tree === "string") return JSON.stringify(tree);
  if ("digits" in tree) return canonicalNumber(`${tree.digits}e${tree.power}`);
  if (!("members" in tree)) return `[${tree.map(printed).join(",")}]`;
  const members = tree.members.map(
    ([key, value]) => [JSON.stringify(key), printed(value)] as const,
  );
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map((member) => member.join(":")).join(",")}}`;
}
