import { describe, expect, it } from "vitest";
import { type EntryState, entryState, STATE_WORDS, storedIn } from "../../src/inbox/entry-state.ts";

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
