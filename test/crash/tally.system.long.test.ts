import { expect, it } from "vitest";
import type { Life } from "./listen-process.ts";
import type { Effect, KeptEntry, Records } from "./records.ts";
import { tally } from "./tally.ts";

const killed: Life = { number: 1, clockAhead: 0, killedAt: 1000 };
const last: Life = { number: 2, clockAhead: 16_000, exitCode: 0 };

it("an event that was acknowledged and had its effect once has no fault", () => {
  expect(account({})).toMatchObject({ acknowledged: 1, lost: 0, stuck: 0, faults: [] });
});

it("an acknowledged event without an entry counts as lost", () => {
  expect(account({ entries: [] })).toMatchObject({ lost: 1 });
});

it("an acknowledged event that is done without a completed run counts as lost", () => {
  expect(account({ effects: [start(1, 990)] })).toMatchObject({ lost: 1, cutOff: 1 });
});

it("an event that still waits counts as stuck", () => {
  expect(account({ entries: [entry({ state: "running" })] })).toMatchObject({ lost: 0, stuck: 1 });
});

it("a second effect is allowed if a kill fell between the first and its recording", () => {
  const effects = [...run(1, 990), ...run(2, 2000)];
  expect(account({ effects, entries: [entry({ records: [ok(18_000)] })] })).toMatchObject({
    twiceByKill: 1,
    widestGap: 5,
    twiceByFault: 0,
    faults: [],
  });
});

it("a second effect is a fault if the first was recorded", () => {
  const effects = [...run(1, 500), ...run(2, 2000)];
  const entries = [entry({ records: [ok(500), ok(18_000)] })];
  expect(account({ effects, entries })).toMatchObject({ twiceByKill: 0, twiceByFault: 1 });
});

it("a second run is a fault while the process of the first is alive", () => {
  const effects = [start(2, 2000), ...run(1, 900)];
  expect(account({ effects: [start(1, 500), ...run(2, 900)] })).toMatchObject({ twiceByFault: 1 });
  expect(account({ effects })).toMatchObject({ twiceByFault: 0 });
  expect(account({ effects: [...run(2, 2000), ...run(2, 3000)] })).toMatchObject({
    twiceByFault: 1,
  });
});

it("a second effect is a fault if the same process recorded later ends before it was killed", () => {
  const other = { ...entry({ records: [ok(800)] }), id: "b" };
  const effects = [
    ...run(1, 400),
    ...run(2, 2000),
    ...run(1, 800).map((line) => ({ ...line, id: "b" })),
  ];
  const sent = [
    { id: "a", hash: "h" },
    { id: "b", hash: "h" },
  ];
  const entries = [entry({ records: [ok(18_000)] }), other];
  expect(account({ sent, effects, entries })).toMatchObject({ twiceByKill: 0, twiceByFault: 1 });
});

it("unacknowledged events are counted as kept or not kept", () => {
  expect(account({ answered: [] })).toMatchObject({
    unacknowledgedKept: 1,
    unacknowledgedAbsent: 0,
  });
  const nothing = { answered: [], entries: [], effects: [] };
  expect(account(nothing)).toMatchObject({
    unacknowledgedKept: 0,
    unacknowledgedAbsent: 1,
    faults: [],
  });
});

it("wrong answers, wrong bytes, wrong states, a damaged file and a process that ended by itself are faults", () => {
  const answer = { id: "a", status: 200, received: true, duplicate: false };
  expect(account({ answered: [answer, answer] }).faults).toHaveLength(1);
  expect(account({ answered: [{ ...answer, duplicate: true }] }).faults).toHaveLength(1);
  expect(account({ answered: [answer, { ...answer, status: 500 }] }).faults).toHaveLength(1);
  expect(account({ entries: [{ ...entry({}), bodyHash: "other" }] }).faults).toHaveLength(1);
  expect(account({ entries: [entry({}), entry({})] }).faults).toHaveLength(1);
  expect(
    account({ entries: [entry({ state: "dead", reason: "invalid_data" })] }).faults,
  ).toHaveLength(1);
  expect(account({ integrity: "row 1 missing from index" }).faults).toHaveLength(1);
  expect(
    account({ lives: [killed, last, { number: 3, clockAhead: 0, exitCode: 3 }] }).faults,
  ).toHaveLength(1);
});

/** The tally of one event that succeeded in the first life, with a test's changes. */
function account(changes: Partial<Records>) {
  return tally({
    lives: [killed, last],
    sent: [{ id: "a", hash: "h" }],
    answered: [{ id: "a", status: 200, received: true, duplicate: false }],
    effects: run(1, 500),
    entries: [entry({ records: [ok(500)] })],
    integrity: "ok",
    ...changes,
  });
}

function entry(changes: Partial<KeptEntry>): KeptEntry {
  return {
    id: "a",
    state: "handled",
    reason: null,
    attempts: 1,
    bodyHash: "h",
    records: [],
    ...changes,
  };
}

/** A record with the process's clock, which may be ahead. */
function ok(startedAt: number): KeptEntry["records"][number] {
  return { startedAt, duration: 8, outcome: "ok" };
}

function start(life: number, at: number): Effect {
  return { id: "a", life, phase: "start", at };
}

function run(life: number, at: number): readonly Effect[] {
  return [start(life, at), { ...start(life, at + 5), phase: "end" }];
}
