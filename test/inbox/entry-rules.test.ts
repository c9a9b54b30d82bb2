import { expect, it } from "vitest";
import { sampleEvent } from "../../src/event/sample.ts";
import { countStates, countsText, deadToDo, stateCounts, totalOf } from "../../src/inbox/counts.ts";
import { stateBeforeRun } from "../../src/inbox/entry-state.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { newEntry, storedKind } from "../../src/inbox/new-entry.ts";
import { lastRunsOf, type RunOutline } from "../../src/inbox/outline.ts";
import { pruneInbox, stepResult } from "../../src/inbox/prune.ts";
import { reasonWords } from "../../src/inbox/reasons.ts";
import { loadSqlite } from "../../src/inbox/sqlite/client.ts";
import { STATE_WITHOUT_REASON } from "../../src/inbox/sqlite/pause.ts";
import { AT, sampleDelivery, sampleKey } from "./entries.ts";

it.each([
  ["waiting", 0, null],
  ["failing", 1, null],
  ["waiting", 2, "target_away"],
  ["waiting", 1, "awaits_handler"],
] as const)(
  "an entry that will run is %s after %i attempts with the reason %s",
  (state, attempts, reason) => {
    expect(stateBeforeRun(attempts, reason)).toBe(state);
  },
);

it("SQLite's statements decide between failing and waiting as the program does", () => {
  const database = new (loadSqlite().DatabaseSync)(":memory:");
  const inSql = database.prepare(
    `SELECT ${STATE_WITHOUT_REASON} AS state FROM (SELECT ? AS attempts)`,
  );
  for (const attempts of [0, 1, 2, 10])
    expect(inSql.get(attempts)?.state).toBe(stateBeforeRun(attempts, null));
  database.close();
});

it("an entry is leased as it is kept only if its data fits, and it is not held for a time", () => {
  const read = { envelope: sampleEvent("lead.created"), timestamp: AT };
  const lease = { token: "lease-1", until: AT + 1000 };
  const kept = (unfit: "invalid_data" | undefined, holdMs: number) =>
    newEntry(
      sampleDelivery(),
      read,
      { key: sampleKey(), order: null, problems: [], unfit },
      { holdMs, lease },
    );
  expect(kept(undefined, 0)).toMatchObject({ state: "waiting", runAt: AT, lease });
  expect(kept(undefined, 50)).toMatchObject({ runAt: AT + 50, lease: undefined });
  expect(kept("invalid_data", 0)).toMatchObject({ state: "dead", lease: undefined });
});

it("of a kind 200 characters are stored", () => {
  for (const long of [200, 201]) expect(storedKind("k".repeat(long))).toBe("k".repeat(200));
});

it.each([
  ["paced_3", "waits for its time in retry 3"],
  ["paused", "paused by hand"],
  ["dropped", "dropped by hand"],
  ["erased", "erased by hand"],
  ["no_handler", "no handler for this event"],
  ["of_another_version", "of another version"],
  ["not_paced_", "not paced "],
  ["constructor", "constructor"],
])("the reason %s means: %s", (reason, words) => {
  expect(reasonWords(reason)).toBe(words);
});

/** A run, such as `2b`: of attempt 2, by handler b. */
const run = (text: string) =>
  ({ attempt: Number(text[0]), handler: text[1], error: text }) as RunOutline;

it.each([
  ["", ""],
  ["1a", "1a"],
  ["1a 1b", "1a 1b"],
  ["1a 1b 2a 2b", "2a 2b"],
  ["1a 2a 1a", "1a"], // retried: the attempts are counted from 1 again
  ["1a 1a", "1a"],
  ["1a 1b 1b 1a", "1b 1a"],
])("of the runs %j the last attempt has %j", (runs, last) => {
  const all = runs.split(" ").filter((text) => text !== "");
  expect(lastRunsOf(all.map(run)).map(({ error }) => error)).toEqual(
    last.split(" ").filter((text) => text !== ""),
  );
});

it.each([
  [3, 1, "7"],
  [3, 0, undefined],
  [2, 1, undefined],
])("after %i of 3 rows, %i of them old, the next step begins after %s", (count, old, next) => {
  const rows = [{ seq: 5 }, { seq: 6 }, { seq: 7 }].slice(0, count);
  expect(stepResult(rows, old, 3, { limit: 3 })).toEqual({ changed: 3, next });
});

it("an inbox is pruned and slimmed in steps until none is left, or until it is stopped", async () => {
  const controller = new AbortController();
  const asked: unknown[] = [];
  const step = (name: string) => async (_request: object, given: { cursor?: string }) => {
    asked.push([name, given]);
    if (name === "slim") controller.abort();
    return { changed: 2, next: given.cursor === undefined ? "7" : undefined };
  };
  const inbox = Object.assign(memoryInbox(), { prune: step("prune"), slim: step("slim") });
  const prune = { states: [], receivedUntil: 0, datedUntil: 0 };
  const slim = { settledUntil: 0 };
  expect(await pruneInbox(inbox as never, {})).toEqual({ pruned: 0, slimmed: 0 });
  const done = await pruneInbox(inbox as never, { prune, slim, signal: controller.signal });
  expect(done).toEqual({ pruned: 4, slimmed: 2 });
  expect(asked).toEqual([
    ["prune", { cursor: undefined, limit: 200 }],
    ["prune", { cursor: "7", limit: 200 }],
    ["slim", { cursor: undefined, limit: 200 }],
  ]);
});

const SEEN = { waiting: 5, failing: 2, running: 1, handled: 40, dead: 3, received: 4 };

it("the counts of states leave out how many were dropped, who are dead too and nothing to do", () => {
  expect(stateCounts({ ...SEEN, dropped: 2 })).toEqual(SEEN);
  expect(totalOf(SEEN)).toBe(55);
  expect(deadToDo({ dead: 3, dropped: 2 })).toBe(1);
  expect(deadToDo({ dead: 3 })).toBe(3);
  const states = ["waiting", "waiting", "failing", "handled"] as const;
  const none = { running: 0, dead: 0, received: 0 };
  expect(countStates(states.map((state) => ({ state })))).toEqual({
    ...none,
    waiting: 2,
    failing: 1,
    handled: 1,
  });
});

it("in words, only states that have entries are named, and an estimate is one", () => {
  expect(countsText(SEEN)).toBe("5 waiting, 2 failing, 1 running, 40 handled, 3 dead, 4 received");
  expect(
    countsText({ dead: 2, handled: 1500, handledIsEstimate: true }, (number) => `<${number}>`),
  ).toBe("about <1500> handled, <2> dead");
  expect(countsText({ handled: 0, handledIsEstimate: true })).toBe("");
});
