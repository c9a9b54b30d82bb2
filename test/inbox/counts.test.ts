import { expect, it } from "vitest";
import { countStates, countsText, deadToDo, stateCounts, totalOf } from "../../src/inbox/counts.ts";

const SEEN = { waiting: 5, failing: 2, running: 1, handled: 40, dead: 3, received: 4 };

it("the counts of states leave out how many were dropped, who are dead too", () => {
  expect(stateCounts({ ...SEEN, dropped: 2 })).toEqual(SEEN);
  expect(totalOf(SEEN)).toBe(55);
});

it("dropped dead letters are nothing to do", () => {
  expect(deadToDo({ dead: 3, dropped: 2 })).toBe(1);
  expect(deadToDo({ dead: 3 })).toBe(3);
});

it("entries are counted by their states", () => {
  const entries = (["waiting", "waiting", "failing", "handled"] as const).map((state) => ({
    state,
  }));
  expect(countStates(entries)).toEqual({
    waiting: 2,
    failing: 1,
    running: 0,
    handled: 1,
    dead: 0,
    received: 0,
  });
});

it("in words, only states that have entries are named, and an estimate is one", () => {
  expect(countsText(SEEN)).toBe("5 waiting, 2 failing, 1 running, 40 handled, 3 dead, 4 received");
  expect(
    countsText({ dead: 2, handled: 1500, handledIsEstimate: true }, (number) => `<${number}>`),
  ).toBe("about <1500> handled, <2> dead");
  expect(countsText({ handled: 0, handledIsEstimate: true })).toBe("");
});
