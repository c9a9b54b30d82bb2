import { describe, expect, it } from "vitest";
import { type JsonFault, MAX_DEPTH, readMembers } from "../../src/event/canonical-json.ts";
import type { CanonicalText } from "../../src/event/canonical-text.ts";
import { processorTimeOf } from "../processor-time.ts";

describe("readMembers", () => {
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
  ])("returns the canonical form of %j", (text, canonical) => {
    expect(canonicalOf(text, "a")).toBe(canonical);
  });

  it("returns the position of each member's text", () => {
    const text = '  {"a" :  "x" , "b":[1, 2] }  ';
    const members = membersOf(text);
    const texts = [...members].map(([key, { start, end }]) => [key, text.slice(start, end)]);
    expect(texts).toEqual([
      ["a", '"x"'],
      ["b", "[1, 2]"],
    ]);
  });

  it("returns members under their decoded keys", () => {
    expect([...membersOf('{"time\\u0073tamp":1,"":2}').keys()]).toEqual(["", "timestamp"]);
  });

  it("accepts an empty object", () => {
    expect(membersOf(" { } ").size).toBe(0);
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

  it.each([15, 16, 17, 40])("[case 41] returns one canonical form for %i keys in any order", (count) => {
    const keys = KEYS.slice(0, count);
    const forms = [keys, keys.toReversed(), [...keys.slice(7), ...keys.slice(0, 7)]].map((order) =>
      canonicalOf(`{"a":${objectOf(order)}}`, "a"),
    );
    expect(forms).toEqual(forms.map(() => objectOf(keys)));
  });

  it("allows the same key in different objects", () => {
    expect(faultOf('{"a":{"a":[{"a":1},{"a":2}]},"b":{"a":1}}')).toBeUndefined();
  });

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

  it("[case 33] returns a fault, not an exception, for 100 000 levels", () => {
    const text = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    expect(faultOf(text)?.reason).toBe("too_deep");
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

function membersOf(text: string) {
  JSON.parse(text); // the walk's condition
  const result = readMembers(text);
  if ("fault" in result) throw new Error(`not walked: ${result.fault.reason}`);
  return result.members;
}

function canonicalOf(text: string, key: string): CanonicalText | undefined {
  return membersOf(text).get(key)?.canonical;
}

function faultOf(text: string): JsonFault | undefined {
  JSON.parse(text);
  const result = readMembers(text);
  return "fault" in result ? result.fault : undefined;
}
