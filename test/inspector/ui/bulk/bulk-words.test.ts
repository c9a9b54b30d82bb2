import { expect, it } from "vitest";
import type { BulkResult, Tally } from "../../../../src/inspector/changes/bulk-api.ts";
import {
  choicesFor,
  filterText,
  leftText,
  resultText,
} from "../../../../src/inspector/ui/bulk/bulk-words.ts";

const none = { waiting: 0, failing: 0, running: 0, dead: 0, received: 0 };
const tallyOf = (states: Partial<Tally["states"]>, parts: Partial<Tally> = {}): Tally => ({
  states: { ...none, ...states },
  dropped: 0,
  foreign: 0,
  newest: 9,
  next: null,
  ...parts,
});
const resultOf = (
  parts: Partial<BulkResult>,
  left: Partial<BulkResult["left"]> = {},
): BulkResult => ({
  due: 0,
  ended: 0,
  dropped: 0,
  ...parts,
  left: { running: 0, dropped: 0, foreign: 0, changedMeanwhile: 0, ...left },
});

it.each([
  ["nothing", tallyOf({}), false, []],
  ["dead entries", tallyOf({ dead: 2 }), false, ["Retry 2", "Drop 2"]],
  ["what waits and what ended", tallyOf({ failing: 1, dead: 2 }), false, ["Retry 3", "Drop 3"]],
  ["what was received and never ran", tallyOf({ received: 12 }), false, ["Run 12", "Drop 12"]],
  ["what runs", tallyOf({ running: 1 }), false, ["Drop 1"]],
  ["what was dropped", tallyOf({}, { dropped: 3 }), false, []],
  [
    "what was dropped and is taken back",
    tallyOf({ dead: 1 }, { dropped: 3 }),
    true,
    ["Retry 4", "Drop 1"],
  ],
])("the choices for %s are counted", (_, tally, takeBack, labels) => {
  expect(choicesFor(tally, takeBack).map(({ label }) => label)).toEqual(labels);
});

it("a retry says what happens to ended and to waiting entries", () => {
  const [retry] = choicesFor(tallyOf({ failing: 2, waiting: 4, dead: 9, received: 3 }), false);
  expect(retry?.text).toBe(
    "9 dead, 3 received: their handlers run, and attempts are counted from 1. 2 failing, 4 waiting: the next attempt is now.",
  );
});

it.each([
  [resultOf({ ended: 12 }, { running: 1 }), "12 entries run again; 1 was already running."],
  [resultOf({ due: 1 }), "1 entry runs now."],
  [resultOf({ ended: 1, due: 2 }), "1 entry runs again, 2 entries run now."],
  [
    resultOf({ dropped: 1200 }, { changedMeanwhile: 2 }),
    "1,200 entries dropped; 2 changed in the meantime.",
  ],
  [
    resultOf({}, { dropped: 2, foreign: 1 }),
    "Nothing was changed; 2 were dropped before; 1 of other sources was left alone.",
  ],
])("a result is said in words", (result, text) => {
  expect(resultText(result)).toBe(text);
});

it("a filter is said in words", () => {
  const text = (query: string) => filterText(new URLSearchParams(query));
  expect(text("")).toBe("");
  expect(text("state=dead,received&kind=payment.*&text=4711&within=1000")).toBe(
    "that are dead or received, of kind payment.*, with “4711”, of the chosen time",
  );
});

it("what is left alone is said before, if it matters for the choice", () => {
  const tally = tallyOf({ running: 1 }, { foreign: 2 });
  expect(leftText(tally, "retry")).toHaveLength(2);
  expect(leftText(tally, "drop")).toHaveLength(1);
});
