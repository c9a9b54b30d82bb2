import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readMembers } from "../../src/event/canonical-json.ts";
import { canonicalNumber } from "../../src/event/canonical-number.ts";
import { type CanonicalText, PIECE, wholeText } from "../../src/event/canonical-text.ts";
import { readEnvelope } from "../../src/event/read-envelope.ts";
import { anyDraw, anyTree, type Tree, write } from "./json-text.ts";

describe("a canonical text", () => {
  it("is the same in pieces of any length as when it is printed from the value", () => {
    fc.assert(
      fc.property(anyTree, anyDraw, fc.integer({ min: 1, max: 60 }), (tree, draw, piece) => {
        expect(wholeText(canonicalOf(write(tree, draw), piece))).toBe(printed(tree));
      }),
      { numRuns: 1000 },
    );
  });

  it("is in pieces only if it is longer than one", () => {
    expect(canonicalOf('{"a":[1]}', 9)).toBe('{"a":[1]}');
    expect(canonicalOf('{"a":[1]}', 8)).toEqual(expect.any(Array));
    expect(canonicalOf(`["${"x".repeat(2 * PIECE)}",1]`)).toEqual(["[", `"${"x".repeat(2 * PIECE)}"`, ",1]"]);
  });

  it.each<[string, Tree]>([
    ["one long string", "x".repeat(5 * PIECE)],
    ["one long string with characters of two, three and four bytes", "é漢😀".repeat(PIECE)],
    ["one long string with escapes and lone surrogates", '\n"\ud800x\udc00'.repeat(PIECE)],
    [
      "strings of a piece's length, give or take one",
      [-3, -2, -1, 0, 1].map((more) => "y".repeat(PIECE + more)),
    ],
    ["many short values", Array.from({ length: PIECE }, (_, index) => `item ${index}`)],
    [
      "many members",
      { members: Array.from({ length: 9000 }, (_, index) => [`key ${index}`, [null, `é${index}`]] as const) },
    ],
  ])("gives %s the same event id as the text in one string", (_, long) => {
    const data = {
      members: [["z", { digits: 15n, power: -1 }] as const, ["long", long] as const, ["a", true] as const],
    };
    const timestamp = "2024-01-15T10:30:00.000Z";
    const body = `{"event":"sold","timestamp":"${timestamp}","webhook":{"id":"wh_1","url":"u"},"data":${write(data, () => 1)}}`;
    const content = digest(`["sold",${printed(data)}]`);
    expect(readEnvelope(Buffer.from(body))).toMatchObject({
      content,
      eventId: `evt_1_${digest(`["${content}","${timestamp}"]`)}`,
    });
  });
});

function canonicalOf(text: string, piece?: number): CanonicalText {
  const read = readMembers(`{"a":${text}}`, piece);
  if ("fault" in read) throw new Error(`not walked: ${read.fault.reason}`);
  return read.members.get("a")?.canonical ?? "";
}

/** The canonical form, printed from the value and not from a text. */
function printed(tree: Tree): string {
  if (tree === null || typeof tree === "boolean") return String(tree);
  if (typeof tree === "string") return JSON.stringify(tree);
  if ("digits" in tree) return canonicalNumber(`${tree.digits}e${tree.power}`);
  if (!("members" in tree)) return `[${tree.map(printed).join(",")}]`;
  const members = tree.members.map(([key, value]) => [JSON.stringify(key), printed(value)] as const);
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map((member) => member.join(":")).join(",")}}`;
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 40);
}
