import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { StatusBar } from "../../../src/cli/live/status-bar.ts";
import { TargetOutages } from "../../../src/cli/live/target-outages.ts";
import { createOutput } from "../../../src/cli/output.ts";
import { TARGET_AWAY } from "../../../src/inbox/target-wait.ts";
import type { AttemptObservation } from "../../../src/receiver/observation.ts";
import { collected } from "./collected.ts";

const TARGET = "http://127.0.0.1:3000/in";
const FORWARD = `forward to ${TARGET}`;
const REFUSED = "http://127.0.0.1:3000: connection refused: nothing listens there";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function attempt(
  seq: number,
  parts: Partial<AttemptObservation> & { handler?: string; ok?: boolean } = {},
) {
  const { ok = false, handler = FORWARD, ...rest } = parts;
  const outcome = ok ? "ok" : "error";
  const record = {
    attempt: 1,
    handler,
    startedAt: 0,
    duration: 1,
    outcome,
    error: ok ? null : REFUSED,
  };
  return {
    type: "attempt",
    seq,
    eventId: `evt_${seq}`,
    kind: "lead.created",
    attempt: 1,
    runAt: 0,
    state: ok ? "handled" : "waiting",
    reason: ok ? null : TARGET_AWAY,
    problems: [],
    records: [{ ...record, note: null, failure: null }],
    ...rest,
  } as unknown as AttemptObservation;
}

function open({ terminal = false, json = false } = {}) {
  const { io, text } = collected(terminal);
  const output = createOutput(io, { json, color: false, clock: Date.now });
  const waits = { [TARGET]: 1 };
  const waiting = async () =>
    Object.entries(waits).map(([target, entries]) => ({ target, entries }));
  const shown = new TargetOutages({ output, bar: new StatusBar(output), clock: Date.now, waiting });
  const note = (observation: AttemptObservation) => shown.note(observation, () => {});
  const outages = { note, close: () => shown.close() };
  const lines = () =>
    text()
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.replace(/^\S+ {2}/, ""));
  return { outages, waits, lines, text };
}

describe("a target that goes away", () => {
  it("has one line, however often it is tried, and one when it is back", async () => {
    const { outages, waits, lines } = open();
    expect(outages.note(attempt(1))).toBe(true);
    waits[TARGET] = 100;
    await vi.advanceTimersByTimeAsync(20_000);
    for (let times = 0; times < 7; times++) expect(outages.note(attempt(1))).toBe(true);
    for (let seq = 1; seq <= 100; seq++)
      expect(outages.note(attempt(seq, { ok: true }))).toBe(false);
    await vi.advanceTimersByTimeAsync(2000);
    expect(lines()).toEqual([
      `–    ! ${TARGET} is away: connection refused: nothing listens there`,
      `–    ✓ ${TARGET} is back after 20 s: 100 events waited`,
    ]);
  });

  it.each([
    "its certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT): set NODE_EXTRA_CA_CERTS",
    "it speaks plain HTTP, not TLS: use http://127.0.0.1:3000",
    "it speaks TLS, not plain HTTP: use https://127.0.0.1:3000",
    "the server there does not speak HTTP: check the port",
  ])("is not said to be away if a server is there: %s", async (why) => {
    const { outages, lines, text } = open({ terminal: true });
    const down = attempt(1);
    const records = down.records.map((record) => ({
      ...record,
      error: `http://127.0.0.1:3000: ${why}`,
    }));
    expect(outages.note({ ...down, records })).toBe(true);
    expect(lines().join(" ").replaceAll(/\s+/g, " ")).toContain(`! ${TARGET} is there, but ${why}`);
    await vi.advanceTimersByTimeAsync(3000);
    expect(text()).toContain("1 event waits for 127.0.0.1:3000, unusable for");
    expect(text()).not.toContain("away");
  });

  it("is not said to be away if it answered", () => {
    const { outages, lines } = open();
    const busy = attempt(1);
    const error = `${TARGET} answered 429`;
    outages.note({
      ...busy,
      records: busy.records.map((record) => ({ ...record, error, note: "429 Too Many Requests" })),
    });
    expect(lines()).toEqual([`–    ! ${TARGET} answered 429: events wait until it takes them`]);
  });

  it.each([
    ["500 Internal Server Error", "500"],
    ["401 Unauthorized\nno", "401"],
  ])("ends with any answer, here %j", async (note, status) => {
    const { outages, waits, lines, text } = open({ terminal: true });
    outages.note(attempt(1));
    waits[TARGET] = 5;
    await vi.advanceTimersByTimeAsync(15_000);
    const answered = attempt(1, { state: "failing", reason: null });
    const records = answered.records.map((record) => ({ ...record, note }));
    expect(outages.note({ ...answered, records })).toBe(false);
    await vi.advanceTimersByTimeAsync(200);
    const since = text().length;
    await vi.advanceTimersByTimeAsync(3000);
    expect(text().slice(since)).not.toContain("away for");
    expect(lines().join(" ").replaceAll(/\s+/g, " ")).toContain(
      `! ${TARGET} is back after 15 s, but answers ${status}: 5 events wait`,
    );
    expect(outages.note(attempt(1, { ok: true }))).toBe(false);
  });

  it("is not back when an event is given up on without an answer", () => {
    const { outages, lines } = open();
    outages.note(attempt(1));
    outages.note(attempt(1, { state: "dead", reason: "waited_too_long" }));
    expect(lines().length).toBe(1);
  });

  it("is told in lines that fit the terminal", () => {
    const { outages, text } = open({ terminal: true });
    outages.note(
      attempt(1, { handler: `forward to ${TARGET}/a/long/path/that/takes/most/of/a/line` }),
    );
    const widths = text()
      .split("\n")
      .map((line) => line.length);
    expect(Math.max(...widths)).toBeLessThanOrEqual(80);
  });

  it("does not hide other handlers, other failures and dead letters", () => {
    const { outages } = open();
    expect(outages.note(attempt(1, { handler: "payment.received" }))).toBe(false);
    expect(outages.note(attempt(2, { reason: null }))).toBe(false);
    expect(outages.note(attempt(3, { state: "dead", reason: "attempts_exhausted" }))).toBe(false);
    expect(outages.note(attempt(4, { records: [] }))).toBe(false);
  });

  it("is told apart from another, and from one with a pattern", () => {
    const { outages, lines } = open();
    outages.note(attempt(1));
    outages.note(attempt(2, { handler: "forward payment.* to http://127.0.0.1:3001/in#2" }));
    expect(lines().map((line) => line.split(/ +/)[2])).toEqual([
      TARGET,
      "http://127.0.0.1:3001/in",
    ]);
  });
});

it("a line at the bottom of a terminal counts what waits, and is removed when the target is back", async () => {
  const { outages, waits, text } = open({ terminal: true });
  outages.note(attempt(1));
  waits[TARGET] = 41;
  await vi.advanceTimersByTimeAsync(2200);
  expect(text()).toContain("\r\u001b[K! 41 events wait for 127.0.0.1:3000, away for 2 s");
  outages.note(attempt(1, { ok: true }));
  await vi.advanceTimersByTimeAsync(200);
  const after = text();
  expect(after.slice(after.lastIndexOf("away for"))).toContain("\r\u001b[K");
  await vi.advanceTimersByTimeAsync(3000);
  expect(text().slice(after.length)).not.toContain("away for");
});

it("nothing at all is printed with --json", async () => {
  const { outages, text } = open({ json: true, terminal: true });
  outages.note(attempt(1));
  await vi.advanceTimersByTimeAsync(2000);
  outages.close();
  expect(text()).toBe("");
});

it("a count that is under way when it is closed does not show the line again", async () => {
  const { outages, text } = open({ terminal: true });
  outages.note(attempt(1));
  vi.advanceTimersByTime(1000); // the count has begun
  outages.close();
  await vi.advanceTimersByTimeAsync(2000);
  expect(text()).not.toContain("events wait");
  expect(text()).not.toContain("event wait");
});
