import fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonLines } from "../../../../src/inspector/json/json-lines.ts";
import { readJson } from "../../../../src/inspector/json/json-reader.ts";
import { findLines, MAX_FOUND, searchPattern } from "../../../../src/inspector/ui/json/find.ts";
import { Folding } from "../../../../src/inspector/ui/json/folding.ts";
import { tokensOf } from "../../../../src/inspector/ui/json/json-tokens.ts";

function read(text: string): JsonLines {
  const lines = readJson(text);
  if (lines === undefined) throw new Error("expected JSON");
  return lines;
}

const shown = (lines: JsonLines, folding: Folding) =>
  Array.from({ length: folding.count }, (_, row) => {
    const line = folding.line(row);
    return tokensOf(lines, line, folding.isFolded(line))
      .map(({ text }) => text)
      .join("");
  });

const TEXT = '{"event": "a", "data": {"items": [1, [], {"id": "x"}], "n": 1}, "e": [{}]}';

it("a folded value is one row that names the number of its items", () => {
  const lines = read(TEXT);
  const folding = new Folding(lines, true);
  expect(shown(lines, folding)).toEqual([
    "{",
    '"event": "a",',
    '"data": { 2 items },',
    '"e": [ 1 item ]',
    "}",
  ]);
  folding.set(2, false);
  expect(shown(lines, folding)).toEqual([
    "{",
    '"event": "a",',
    '"data": {',
    '"items": [ 3 items ],',
    '"n": 1',
    "},",
    '"e": [ 1 item ]',
    "}",
  ]);
  folding.unfoldAll();
  expect(folding.count).toBe(lines.count);
  folding.set(0, true);
  expect(shown(lines, folding)).toEqual(["{ 3 items }"]);
  folding.set(1, true);
  expect(folding.isFolded(1)).toBe(false);
});

it("the rows are the lines that are in no folded value, whatever is folded", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.array(fc.nat()), (value, picks) => {
      const lines = read(JSON.stringify(value));
      const folding = new Folding(lines, false);
      for (const pick of picks) folding.set(pick % lines.count, true);
      const all = Array.from({ length: lines.count }, (_, line) => line);
      const isHidden = (line: number): boolean => {
        const mate = lines.kind(line) === "close" ? lines.mate(line) : -1;
        if (mate >= 0 && folding.isFolded(mate)) return true;
        const parent = lines.parent(line);
        return parent >= 0 && (folding.isFolded(parent) || isHidden(parent));
      };
      const rows = all.filter((line) => !isHidden(line));
      expect(Array.from({ length: folding.count }, (_, row) => folding.line(row))).toEqual(rows);
      expect(rows.map((line) => folding.row(line))).toEqual([...rows.keys()]);
      const last = lines.count - 1;
      folding.reveal(last);
      expect(folding.line(folding.row(lines.parent(last) < 0 ? 0 : last))).toBe(
        lines.parent(last) < 0 ? 0 : last,
      );
    }),
  );
});

it("a search finds keys and values in any case, also in what is folded", () => {
  const lines = read(TEXT);
  const found = (query: string) =>
    findLines(lines, searchPattern(query)).map((line) => lines.path(line));
  expect(found("ITEMS")).toEqual(["data.items"]);
  expect(found('"x"')).toEqual(["data.items[2].id"]);
  expect(found("1")).toEqual(["data.items[0]", "data.n"]);
  expect(found("[1")).toEqual(["data.items"]);
  expect(found(" ")).toEqual([]);
  expect(found("absent.*")).toEqual([]);
});

it("a search ends at its limit", () => {
  const lines = read(`[${Array.from({ length: MAX_FOUND + 5 }, () => "1").join(",")}]`);
  expect(findLines(lines, searchPattern("1"))).toHaveLength(MAX_FOUND);
});

it("a long value is shortened on the page, and copied whole", () => {
  const long = JSON.stringify("x".repeat(100_000));
  const lines = read(`[${long}]`);
  const [token, note] = tokensOf(lines, 1, false);
  expect(token?.text).toHaveLength(2000);
  expect(note).toEqual({ kind: "note", text: " … 98,002 more characters" });
  expect(lines.value(1)).toBe(long);
});
