import { expect, it } from "vitest";
import type { AttemptRecord } from "../../../src/entries/index.ts";
import { RunNotes } from "../../../src/inspector/live/run-notes.ts";

const record = (attempt: number, startedAt: number, duration = 5): AttemptRecord => ({
  attempt,
  handler: "own",
  startedAt,
  duration,
  outcome: "ok",
  error: null,
  failure: null,
  note: null,
});

/** Notes on a clock that the test sets. */
function notes() {
  let now = 100;
  return {
    notes: new RunNotes(() => now),
    at: (time: number) => {
      now = time;
    },
  };
}

it("lines belong to the run that printed them, also among several of one attempt", () => {
  const { notes: all, at } = notes();
  all.begin(1, 1).print("info", "one\ntwo");
  at(101);
  all.begin(1, 1).print("error", "three");
  all.begin(2, 1).print("info", "another entry");
  at(5000);
  all.begin(1, 2).print("info", "four");
  const runs = [record(1, 100, 0.5), record(1, 101), record(1, 300), record(2, 5000)];
  expect(all.addTo(1, runs).map(({ printed }) => printed.map(({ text }) => text))).toEqual([
    ["one", "two"],
    ["three"],
    [],
    ["four"],
  ]);
});

it("a run keeps its first lines, and counts the others", () => {
  const { notes: all } = notes();
  const run = all.begin(1, 1);
  for (let line = 0; line < 500; line++) run.print("info", `line ${line}`);
  const long = all.begin(2, 1);
  long.print("info", "x".repeat(1_000_000));
  for (let line = 0; line < 20; line++) long.print("info", "y".repeat(1900));
  const [many] = all.addTo(1, [record(1, 100)]);
  expect(many?.printed).toHaveLength(200);
  expect(many?.unprinted).toBe(300);
  const [wide] = all.addTo(2, [record(1, 100)]);
  expect(wide?.printed[0]?.text).toHaveLength(2001);
  expect(wide?.printed.map(({ text }) => text).join("").length).toBeLessThan(20_000);
});

it("all runs together have a limit, and the oldest are dropped first", () => {
  const { notes: all } = notes();
  const text = (seq: number) => all.addTo(seq, [record(1, 100)])[0]?.printed.length;
  for (let seq = 1; seq <= 1005; seq++) all.begin(seq, 1).print("info", "line");
  expect([text(5), text(6), text(1005)]).toEqual([0, 1, 1]);
  for (let seq = 2001; seq <= 2400; seq++) {
    const run = all.begin(seq, 1);
    for (let line = 0; line < 8; line++) run.print("info", "z".repeat(1999));
  }
  expect([text(1005), text(2001), text(2400)]).toEqual([0, 0, 8]);
});
