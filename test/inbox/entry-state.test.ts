import { expect, it } from "vitest";
import type { EntryState } from "../../src/entries/index.ts";
import {
  hasEnded,
  OPEN_STATES,
  progressOf,
  STATE_WORDS,
  stateBeforeRun,
} from "../../src/inbox/entry-state.ts";
import { loadSqlite } from "../../src/inbox/sqlite/client.ts";
import { STATE_WITHOUT_REASON } from "../../src/inbox/sqlite/pause.ts";

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

it("an entry has ended if it runs again only once someone retries it", () => {
  expect(STATE_WORDS.filter(hasEnded)).toEqual(["handled", "dead", "received"]);
  expect(STATE_WORDS.filter((state) => !hasEnded(state))).toEqual(OPEN_STATES);
});

it("a handled entry has got furthest, then dead, received, tried and untried ones", () => {
  const progress = (state: EntryState, attempts = 0) => progressOf({ state, attempts });
  expect(
    ["waiting" as const, "received" as const, "dead" as const, "handled" as const].map((state) =>
      progress(state),
    ),
  ).toEqual([0, 2, 3, 4]);
  for (const state of OPEN_STATES) expect(progress(state, 3)).toBe(1);
});
