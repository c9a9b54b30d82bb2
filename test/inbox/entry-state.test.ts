import { describe, expect, it } from "vitest";
import {
  type EntryState,
  entryState,
  hasEnded,
  progressOf,
  STATE_WORDS,
  type StoredState,
  storedIn,
} from "../../src/inbox/entry-state.ts";

describe("the state of an entry", () => {
  it.each<[EntryState, Parameters<typeof entryState>[0]]>([
    ["waiting", { state: "pending", attempts: 0, reason: null }],
    ["failing", { state: "pending", attempts: 1, reason: null }],
    ["waiting", { state: "pending", attempts: 2, reason: "target_away" }],
    ["waiting", { state: "pending", attempts: 1, reason: "awaits_handler" }],
    ["running", { state: "running", attempts: 1, reason: null }],
    ["handled", { state: "done", attempts: 1, reason: null }],
    ["dead", { state: "dead", attempts: 0, reason: "invalid_json" }],
    ["received", { state: "unhandled", attempts: 1, reason: "no_handler" }],
  ])("is %s for %j", (word, facts) => {
    expect(entryState(facts)).toBe(word);
  });
});

describe("the stored entries in some states", () => {
  it.each<[readonly EntryState[], ReturnType<typeof storedIn>]>([
    [["failing"], { states: ["pending"], failing: true }],
    [["waiting", "dead"], { states: ["pending", "dead"], failing: false }],
    [["failing", "waiting"], { states: ["pending"] }],
    [["handled", "received"], { states: ["done", "unhandled"] }],
    [[], { states: [] }],
    [STATE_WORDS, { states: ["pending", "running", "done", "dead", "unhandled"] }],
  ])("are found for %j", (words, found) => {
    expect(storedIn(words)).toEqual(found);
  });
});

it("an entry has ended if it runs again only once someone retries it", () => {
  expect(STATE_WORDS.filter(hasEnded)).toEqual(["handled", "dead", "received"]);
});

it("a handled entry has got furthest, then dead, received, failing and waiting ones", () => {
  const progress = (state: StoredState, attempts = 0) => progressOf({ state, attempts });
  const order = [
    progress("pending"),
    progress("running", 3),
    progress("unhandled"),
    progress("dead"),
    progress("done"),
  ];
  expect(order).toEqual([0, 1, 2, 3, 4]);
});
