import { expect, it } from "vitest";
import type { EntryRow, RefusalRow } from "../../../../src/inspector/api.ts";
import { Lines } from "../../../../src/inspector/ui/list/lines.ts";

const entry = (seq: number, parts: Partial<EntryRow> = {}): EntryRow => ({
  type: "entry",
  id: `e${seq}`,
  seq,
  receivedAt: seq * 10,
  kind: "lead.created",
  eventId: `evt_${seq}`,
  state: "waiting",
  reason: null,
  attempts: 0,
  duplicates: 0,
  lastSeenAt: seq * 10,
  runAt: 0,
  settledAt: null,
  bytes: 2,
  why: null,
  resource: null,
  duration: null,
  ...parts,
});
const refusal = (number: number, receivedAt: number): RefusalRow => ({
  type: "refusal",
  id: `r${number}`,
  receivedAt,
  word: "refused",
  reason: "wrong_path",
  method: "GET",
  target: "/",
  bytes: 0,
  status: 404,
  why: "no",
  count: 1,
  duration: 1,
});
const ids = (lines: Lines) =>
  Array.from({ length: lines.count }, (_, position) => lines.at(position)?.row.id);

it("refused deliveries are placed between entries by time, older ones once that part of the past is loaded", () => {
  const lines = new Lines();
  lines.reset([entry(9), entry(8)], 8, [refusal(3, 85), refusal(2, 55), refusal(1, 5)]);
  expect(ids(lines)).toEqual(["e9", "r3", "e8"]);
  lines.addPast([entry(6), entry(5)], 5);
  expect(ids(lines)).toEqual(["e9", "r3", "e8", "e6", "r2", "e5"]);
  lines.addPast([entry(4)], null);
  expect(ids(lines)).toEqual(["e9", "r3", "e8", "e6", "r2", "e5", "e4", "r1"]);
});

it("new rows appear at the top, known ones change in place, and those that no longer match disappear", () => {
  const lines = new Lines();
  lines.reset([entry(2), entry(1)], null, []);
  const added = lines.apply({
    rows: [entry(1, { state: "handled" }), entry(3)],
    refusals: [refusal(1, 40)],
    gone: ["e2", "e77"],
  });
  expect(added).toBe(2);
  expect(ids(lines)).toEqual(["r1", "e3", "e1"]);
  expect(lines.find("e1")).toMatchObject({ state: "handled" });
  expect([lines.positionOf("r1"), lines.positionOf("e1"), lines.positionOf("e2")]).toEqual([
    0, 2, -1,
  ]);
});

it("rows of a past that is not loaded are left out, and rows that match again return to their place", () => {
  const lines = new Lines();
  lines.reset([entry(9), entry(7)], 7, []);
  expect(lines.apply({ rows: [entry(3)] })).toBe(0);
  expect(lines.apply({ rows: [entry(8)] })).toBe(1);
  expect(ids(lines)).toEqual(["e9", "e8", "e7"]);
});

it("a page loaded twice is shown once", () => {
  const lines = new Lines();
  lines.reset([entry(3), entry(2)], 2, []);
  lines.addPast([entry(2), entry(1)], null);
  expect(ids(lines)).toEqual(["e3", "e2", "e1"]);
});
