import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { restamp } from "../../src/event/restamp.ts";
import { anyDraw, anyTree, type Tree, write } from "./json-text.ts";

const INSTANT = Date.UTC(2025, 5, 1, 8, 0, 0, 7);
const STAMP = '"2025-06-01T08:00:00.007Z"';

describe("restamp", () => {
  it.each([
    ['{"timestamp":"old"}', `{"timestamp":${STAMP}}`],
    ['{ "a" : 1.0 ,\n"timestamp" :\t"old" }', `{ "a" : 1.0 ,\n"timestamp" :\t${STAMP} }`],
    ['{"time\\u0073tamp":"old","b":"\\u00e9"}', `{"time\\u0073tamp":${STAMP},"b":"\\u00e9"}`],
    ['{"timestamp":"a \\"quoted\\" }, one","b":2}', `{"timestamp":${STAMP},"b":2}`],
    [
      '{"data":{"timestamp":"inner"},"timestamp":"old"}',
      `{"data":{"timestamp":"inner"},"timestamp":${STAMP}}`,
    ],
    ['{"timestamp":12345678901234567890}', `{"timestamp":${STAMP}}`],
    ['{"timestamp":{"deep":[1]},"x":1}', `{"timestamp":${STAMP},"x":1}`],
    ['  {"timestamp":null}\n', `  {"timestamp":${STAMP}}\n`],
    ['\ufeff{"timestamp":"old"}', `\ufeff{"timestamp":${STAMP}}`], // [case 23]
  ])("turns %s into %s, and leaves what it was given", (before, after) => {
    const given = Buffer.from(before);
    expect(text(restamp(given, INSTANT))).toBe(after);
    expect(given.toString()).toBe(before);
  });

  it("changes only the timestamp's characters, whatever is around them", () => {
    const members = fc.uniqueArray(fc.tuple(fc.string({ maxLength: 6 }), anyTree), {
      maxLength: 3,
      selector: ([name]) => name,
    });
    const marker = '"MARK-9c1d"';
    fc.assert(
      fc.property(members, anyDraw, (given, draw) => {
        const others = given.filter(
          ([name]) => name !== "timestamp" && name !== "__proto__" && name !== "constructor",
        );
        const tree: Tree = {
          members: [...others, ["timestamp", { digits: 987_654_321_987n, power: 0 }]],
        };
        // The number's spelling is random too, so it is found by its digits and replaced by the
        // marker.
        const written = write(tree, draw).replace(
          /-?9876543219870*(?:\.0+)?(?:[eE][+-]?\d+)?/,
          marker,
        );
        fc.pre(written.split(marker).length === 2);
        expect(text(restamp(Buffer.from(written), INSTANT))).toBe(
          written.replace(marker, () => STAMP),
        );
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    "",
    "not JSON",
    '{"timestamp":"old"',
    "[]",
    '["timestamp"]',
    '["timestamp","old","}"]',
    '["timestamp","old",{}]',
    '"timestamp"',
    "null",
    "7",
    "{}",
    '{"data":{"timestamp":"inner"}}',
    '{"Timestamp":"old"}',
    Buffer.from([0x7b, 0xff, 0x7d]), // no UTF-8
  ])("returns undefined for %j", (body) => {
    expect(restamp(Buffer.from(body), INSTANT)).toBeUndefined();
  });
});

function text(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? undefined : Buffer.from(bytes).toString("utf8");
}
