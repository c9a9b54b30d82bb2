import { describe, expect, it, vi } from "vitest";
import { TargetOutages } from "../../../src/cli/live/target-outages.ts";
import { TARGET_AWAY } from "../../../src/inbox/target-wait.ts";
import type { AttemptObservation } from "../../../src/receiver/observation.ts";
import { outputUnderClock } from "./collected.ts";
import { attempt, ran } from "./observations.ts";

const TARGET = "http://127.0.0.1:3000/in";
const FORWARD = `forward to ${TARGET}`;
const REFUSED = "http://127.0.0.1:3000: connection refused: nothing listens there";

interface Parts extends Partial<AttemptObservation> {
  readonly handler?: string;
  readonly ok?: boolean;
  readonly error?: string;
  /** The name of the error. */
  readonly name?: string;
  readonly note?: string;
}

function tried(seq: number, parts: Parts = {}): AttemptObservation {
  const { ok = false, handler = FORWARD, error = REFUSED, note = null, name, ...rest } = parts;
  const failure = name === undefined ? null : { name, at: null, stack: null };
  const records = [ran({ handler, error: ok ? null : error, note, failure })];
  if (ok) return attempt({ seq, records, ...rest });
  return attempt({ seq, records, state: "waiting", reason: TARGET_AWAY, ...rest });
}

function open({ terminal = false, json = false } = {}) {
  const { output, bar, text, lines } = outputUnderClock({ terminal, json });
  const waits = { [TARGET]: 1 };
  const waiting = async () =>
    Object.entries(waits).map(([target, entries]) => ({ target, entries }));
  const shown = new TargetOutages({ output, bar, clock: Date.now, waiting });
  const note = (seq: number, parts?: Parts) => shown.note(tried(seq, parts), () => {});
  const words = () => lines().join(" ").replaceAll(/\s+/g, " ");
  return { note, close: () => shown.close(), waits, lines, words, text };
}

describe("a target that goes away", () => {
  it("has one line, however often it is tried, and one when it is back", async () => {
    const { note, waits, lines } = open();
    expect(note(1)).toBe(true);
    waits[TARGET] = 100;
    await vi.advanceTimersByTimeAsync(20_000);
    for (let times = 0; times < 7; times++) expect(note(1)).toBe(true);
    for (let seq = 1; seq <= 100; seq++) expect(note(seq, { ok: true })).toBe(false);
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
    const { note, words, text } = open({ terminal: true });
    const error = `http://127.0.0.1:3000: ${why}`;
    expect(note(1, { error, name: "UnusableTarget" })).toBe(true);
    expect(words()).toContain(`! ${TARGET} is there, but ${why}`);
    await vi.advanceTimersByTimeAsync(3000);
    expect(text()).toContain("1 event waits for 127.0.0.1:3000, unusable for");
    expect(text()).not.toContain("away");
  });

  it("is not said to be away if it answered", () => {
    const { note, lines } = open();
    note(1, { error: `${TARGET} answered 429`, note: "429 Too Many Requests" });
    expect(lines()).toEqual([`–    ! ${TARGET} answered 429: events wait until it takes them`]);
  });

  it.each([
    ["500 Internal Server Error", "500"],
    ["401 Unauthorized\nno", "401"],
  ])("ends with any answer, here %j", async (answer, status) => {
    const { note, waits, words, text } = open({ terminal: true });
    note(1);
    waits[TARGET] = 5;
    await vi.advanceTimersByTimeAsync(15_000);
    expect(note(1, { state: "failing", reason: null, note: answer })).toBe(false);
    await vi.advanceTimersByTimeAsync(200);
    const since = text().length;
    await vi.advanceTimersByTimeAsync(3000);
    expect(text().slice(since)).not.toContain("away for");
    expect(words()).toContain(
      `! ${TARGET} is back after 15 s, but answers ${status}: 5 events wait`,
    );
    expect(note(1, { ok: true })).toBe(false);
  });

  it("is told in lines that fit the terminal", () => {
    const { note, text } = open({ terminal: true });
    note(1, { handler: `forward to ${TARGET}/a/long/path/that/takes/most/of/a/line` });
    for (const line of text().split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });

  it("does not hide other handlers, other failures and dead letters, which do not bring it back", () => {
    const { note, lines } = open();
    expect(note(1, { handler: "payment.received" })).toBe(false);
    expect(note(2, { reason: null })).toBe(false);
    expect(note(3, { state: "dead", reason: "attempts_exhausted" })).toBe(false);
    expect(note(4, { records: [] })).toBe(false);
    expect(lines()).toEqual([]);
    note(1);
    note(1, { state: "dead", reason: "waited_too_long" });
    expect(lines().length).toBe(1);
  });

  it("is told apart from another, and from one with a pattern", () => {
    const { note, lines } = open();
    note(1);
    note(2, { handler: "forward payment.* to http://127.0.0.1:3001/in#2" });
    const targets = lines().map((line) => line.split(/ +/)[2]);
    expect(targets).toEqual([TARGET, "http://127.0.0.1:3001/in"]);
  });
});

it("a line at the bottom of a terminal counts what waits, and is removed when the target is back", async () => {
  const { note, waits, text } = open({ terminal: true });
  note(1);
  waits[TARGET] = 41;
  await vi.advanceTimersByTimeAsync(2200);
  expect(text()).toContain("\r\u001b[K! 41 events wait for 127.0.0.1:3000, away for 2 s");
  note(1, { ok: true });
  await vi.advanceTimersByTimeAsync(200);
  const after = text();
  expect(after.slice(after.lastIndexOf("away for"))).toContain("\r\u001b[K");
  await vi.advanceTimersByTimeAsync(3000);
  expect(text().slice(after.length)).not.toContain("away for");
});

it("nothing at all is printed with --json", async () => {
  const { note, close, text } = open({ json: true, terminal: true });
  note(1);
  await vi.advanceTimersByTimeAsync(2000);
  close();
  expect(text()).toBe("");
});

it("a count that is under way when it is closed does not show the line again", async () => {
  const { note, close, text } = open({ terminal: true });
  note(1);
  vi.advanceTimersByTime(1000); // the count has begun
  close();
  await vi.advanceTimersByTimeAsync(2000);
  expect(text()).not.toMatch(/events? waits? for/);
});
