import { expect, it } from "vitest";
import { readJson } from "../../../../src/inspector/json/json-reader.ts";
import { findProblems } from "../../../../src/inspector/ui/json/find.ts";

const TEXT = '{"event": "a", "data": {"id": 12, "rooms": [{"area": 1}, {"area": "x"}], "a b": 1}}';

function noted(...problems: readonly { field: string; message: string }[]) {
  const lines = readJson(TEXT);
  if (lines === undefined) throw new Error("expected JSON");
  return [...findProblems(lines, problems)].map(([line, notes]) => [lines.path(line), ...notes]);
}

it("a problem is noted at the line of its field", () => {
  expect(
    noted(
      { field: "data.id", message: "expected string, got number" },
      { field: "data.rooms[1].area", message: "expected number, got string" },
      { field: 'data["a b"]', message: "expected string, got number" },
    ),
  ).toEqual([
    ["data.id", "expected string, got number"],
    ["data.rooms[1].area", "expected number, got string"],
    ['data["a b"]', "expected string, got number"],
  ]);
});

it("a field that is missing is noted at the nearest value around it", () => {
  expect(
    noted(
      { field: "data.surface", message: "is missing" },
      { field: "data.address.city", message: "is missing" },
      { field: "nothing", message: "is missing" },
    ),
  ).toEqual([["data", "data.surface is missing", "data.address.city is missing"]]);
});
