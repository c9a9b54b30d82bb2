import { Chalk } from "chalk";
import { describe, expect, it } from "vitest";
import { attemptLines } from "../../../src/cli/live/attempt-view.ts";
import { deliveryLines, recordDelivery } from "../../../src/cli/live/delivery-view.ts";
import { createOutput } from "../../../src/cli/output.ts";
import { columnsOf } from "../../../src/cli/wrap-text.ts";
import type { AttemptRecord } from "../../../src/entries/index.ts";
import type { AttemptObservation, DeliveryObservation } from "../../../src/receiver/observation.ts";
import { collected } from "./collected.ts";

const ID = "evt_1_0123456789abcdef0123456789abcdef01234567";
const color = new Chalk({ level: 0 });
const WIDE = { color, columns: undefined };

/** Lines without the time of day, which depends on the machine. */
function withoutTime(lines: readonly string[]): readonly string[] {
  return lines.map((line) => line.replace(/^\d\d:\d\d:\d\d/, "tt:tt:tt"));
}

function delivery(parts: Partial<DeliveryObservation> = {}): DeliveryObservation {
  return {
    type: "delivery",
    method: "POST",
    target: "/",
    headers: {},
    receivedAt: 0,
    duration: 1,
    bytes: 2,
    outcome: accepted({}),
    ...parts,
  };
}

function accepted(parts: object): DeliveryObservation["outcome"] {
  return {
    type: "accepted",
    eventId: ID,
    seq: 12,
    kind: "lead.created",
    duplicate: false,
    entryState: "waiting",
    secret: { role: "current", fingerprint: "00000000" },
    ...parts,
  } as DeliveryObservation["outcome"];
}

function attempt(parts: Partial<AttemptObservation> = {}): AttemptObservation {
  return {
    type: "attempt",
    seq: 13,
    eventId: ID,
    kind: "payment.overdue",
    attempt: 1,
    records: [ran()],
    state: "handled",
    reason: null,
    problems: [],
    runAt: 0,
    ...parts,
  } as AttemptObservation;
}

function ran(parts: Partial<AttemptRecord> = {}): AttemptRecord {
  return {
    attempt: 1,
    handler: "payment.overdue",
    startedAt: 0,
    duration: 8,
    outcome: "ok",
    error: null,
    failure: null,
    note: null,
    ...parts,
  } as AttemptRecord;
}

const FAILED = ran({
  outcome: "error",
  error: "Cannot read properties of undefined (reading 'name')",
  failure: { name: "TypeError", at: "handlers/finances.ts:14:22", stack: null },
});

/** What is shown of each kind of outcome, in one session. */
function session(columns: number | undefined): readonly string[] {
  const told = { reported: new Set<string>() };
  const style = { color, columns };
  const unsigned = delivery({ outcome: { type: "unauthorized", reason: "signature_missing" } });
  const misfit = { field: "data.surface", message: "expected number, got string" };
  const terms = { now: 0, detail: "whole" } as const;
  const pending = { state: "failing", records: [FAILED], runAt: 800 } as const;
  return withoutTime([
    ...attemptLines(attempt({ seq: 12, kind: "payment.received" }), terms, style),
    ...attemptLines(attempt(pending), terms, style),
    ...attemptLines(
      attempt({ ...pending, attempt: 2, runAt: 3000 }),
      { now: 0, detail: "again" },
      style,
    ),
    ...deliveryLines(unsigned, told, style),
    ...deliveryLines(unsigned, told, style),
    ...deliveryLines(delivery({ outcome: accepted({ duplicate: true }) }), told, style),
    ...deliveryLines(
      delivery({ outcome: accepted({ reason: "invalid_data", problems: [misfit], seq: 14 }) }),
      told,
      style,
    ),
    ...deliveryLines(
      delivery({ outcome: { type: "refused", reason: "wrong_path" }, target: "/hooks" }),
      told,
      style,
    ),
    ...attemptLines(
      attempt({ state: "received", records: [], reason: "no_handler" }),
      terms,
      style,
    ),
    ...attemptLines(
      attempt({ state: "dead", records: [FAILED], reason: "attempts_exhausted" }),
      terms,
      style,
    ),
  ]);
}

describe("the live view", () => {
  it.each([80, 120])(
    "fits %i columns, with one line per delivery and its reason beneath",
    async (columns) => {
      const lines = session(columns);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
      await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(
        `snapshots/live-${columns}-columns.txt`,
      );
    },
  );

  it("cuts and wraps nothing if it is piped", async () => {
    const lines = session(undefined);
    expect(lines.filter((line) => line.startsWith("tt")).every((line) => !line.includes("…"))).toBe(
      true,
    );
    expect(lines[0]).toContain(ID);
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("snapshots/live-piped.txt");
  });
});

it("a delivery signed with a previous secret is marked", () => {
  const line = (role: string) =>
    deliveryLines(
      delivery({ outcome: accepted({ secret: { role } }) }),
      { reported: new Set() },
      WIDE,
    ).join("\n");
  expect(line("previous")).toContain("previous secret");
  expect(line("current")).not.toContain("secret");
});

it("the values of a query are hidden, for people and in records", () => {
  const refused = delivery({
    target: "/other?code=hunter2&x",
    outcome: { type: "refused", reason: "wrong_path" },
  });
  const { io, text } = collected();
  recordDelivery(refused, createOutput(io, { json: true, color: false, clock: () => 0 }));
  const lines = deliveryLines(refused, { reported: new Set() }, WIDE).join("\n");
  for (const shown of [lines, text()]) {
    expect(shown).toContain("/other?code=…&…");
    expect(shown).not.toContain("hunter2");
  }
});

it("a dead letter whose handlers never ran shows its event", () => {
  const dead = attempt({
    seq: 7,
    kind: null,
    records: [],
    state: "dead",
    reason: "invalid_timestamp",
  });
  const text = attemptLines(dead, { now: 0, detail: "whole" }, WIDE).join("\n");
  expect(text).toMatch(/#7 .*dead .*evt_1_.*\n +.* \(invalid_timestamp\); not run\n.*retry 7$/);
});

it("[case 62] an event that differs from an earlier one only in its timestamp is marked", () => {
  const line = (more: object) =>
    deliveryLines(delivery({ outcome: accepted(more) }), { reported: new Set() }, WIDE).join("\n");
  expect(line({ restampOf: "evt_0" })).toMatch(/accepted.*new timestamp/);
  expect(line({})).not.toContain("timestamp");
});

it("a kind that takes two columns a character is cut, so that its row fits", () => {
  const wide = attempt({ kind: "日本語".repeat(30) });
  const [line = ""] = attemptLines(wide, { now: 0, detail: "whole" }, { color, columns: 80 });
  expect(columnsOf(line)).toBeLessThanOrEqual(80);
  expect(line).toContain("handled");
});

it("a dead letter like an earlier one has one line", () => {
  const unfit = accepted({
    reason: "invalid_data",
    problems: [{ field: "data.id", message: "no" }],
    seq: 14,
  });
  const lines = deliveryLines(
    delivery({ outcome: unfit }),
    { reported: new Set(), detail: { as: 2 } },
    WIDE,
  );
  expect(lines.length).toBe(1);
  expect(lines[0]).toContain("the same as #2");
});

it("a delivery that is no event, like an earlier one, still names its own field", () => {
  const rejection = {
    reason: "invalid_envelope",
    message: "event is missing or invalid",
    field: "event",
  };
  const outcome = {
    type: "rejected",
    rejection,
    seq: 14,
    eventId: "raw_1",
    kind: null,
    duplicate: false,
  };
  const rejected = delivery({ outcome: outcome as DeliveryObservation["outcome"] });
  const lines = deliveryLines(rejected, { reported: new Set(), detail: { as: 2 } }, WIDE);
  expect(lines.length).toBe(1);
  expect(lines[0]).toMatch(/rejected +400 .*event is missing or invalid, like #2 /);
});

it.each([
  ["paused", "again once it is resumed"],
  ["target_away", "again once its target answers"],
  ["tx_busy", "again in 10 min"],
])("what waits as %s runs %s", (reason, text) => {
  const waiting = attempt({ state: "waiting", reason, runAt: 600_000 });
  expect(attemptLines(waiting, { now: 0, detail: "whole" }, WIDE)[0]).toContain(text);
});

it("each of several handlers is named, with its result", () => {
  const records = [ran({ handler: "ledger" }), { ...FAILED, handler: "mail" }];
  const failing = attempt({ state: "failing", records, runAt: 1000 });
  const lines = attemptLines(failing, { now: 0, detail: "whole" }, WIDE).map((line) => line.trim());
  expect(lines.slice(1)).toEqual([
    "ledger: ok 8 ms",
    "mail: TypeError: Cannot read properties of undefined (reading 'name')",
    "at handlers/finances.ts:14:22",
  ]);
});

it("a search that took too long is named each time, and what to do about it once", () => {
  const told = new Set<string>();
  const outcome = { type: "unauthorized", reason: "signature_mismatch" } as const;
  const refused = () =>
    deliveryLines(delivery({ outcome }), { reported: told, diagnosis: "took_too_long" }, WIDE)
      .at(-1)
      ?.trim();
  expect(refused()).toBe(
    "not searched: took too long; run `hookporter verify` to find out why one fails",
  );
  expect(refused()).toBe("not searched: took too long");
});

it("of a long target, only the beginning is recorded", () => {
  const { io, text } = collected();
  const output = createOutput(io, { json: true, color: false, clock: () => 0 });
  recordDelivery(delivery({ target: `/${"a".repeat(15_000)}` }), output);
  expect(JSON.parse(text()).target).toBe(`/${"a".repeat(1999)}…`);
});
