import { describe, expect, it } from "vitest";
import type { Outcome } from "../../src/entries/index.ts";
import {
  addNote,
  isSilent,
  noAuthentic,
  normalSilence,
  type SenderRecord,
} from "../../src/inbox/senders.ts";
import { SenderTally } from "../../src/receiver/sender-tally.ts";
import { AT } from "./entries.ts";

const HOUR = 3_600_000;
const REPEAT = { type: "accepted", duplicate: true } as Outcome;
const DAY = 24 * HOUR;
const NOTHING: SenderRecord = { source: "service", days: [] };

/** What is known after deliveries at these times, noted one by one as of different processes. */
function received(times: readonly number[], known: SenderRecord = NOTHING): SenderRecord {
  return times.reduce((record, at) => {
    const tally = new SenderTally("service");
    tally.authentic(at);
    const note = tally.take();
    return note === undefined ? record : addNote(record, note);
  }, known);
}

/**
 * The same, with deliveries whose signature matches no secret, each with a body of its own if none
 * is given.
 */
function refused(known: SenderRecord, times: readonly number[], body?: string): SenderRecord {
  const tally = new SenderTally("service");
  for (const at of times) tally.mismatch(Buffer.from(body ?? `${at}`), at);
  const note = tally.take();
  return note === undefined ? known : addNote(known, note);
}

const every = (ms: number, count: number, from = AT) =>
  Array.from({ length: count }, (_, n) => from + n * ms);

describe("normal silence", () => {
  it("is unknown before 20 events, and then 3 times the longest gap", () => {
    expect(normalSilence(received(every(2 * HOUR, 19)))).toBeUndefined();
    expect(normalSilence(received(every(2 * HOUR, 20)))).toBe(6 * HOUR);
  });

  it("is at least an hour", () => {
    expect(normalSilence(received(every(1000, 100)))).toBe(HOUR);
  });

  it("has the same gaps whether one note or many tell of them", () => {
    const times = [...every(HOUR, 30), ...every(HOUR, 30, AT + 3 * DAY)];
    const tally = new SenderTally("service");
    for (const at of times) tally.authentic(at);
    expect(addNote(NOTHING, tally.take() ?? Object(undefined))).toEqual(received(times));
    expect(normalSilence(received(times))).toBe(3 * (3 * DAY - 29 * HOUR));
  });

  it("forgets a gap after 14 days", () => {
    const known = received([...every(HOUR, 10), ...every(HOUR, 13 * 24, AT + 2 * DAY)]);
    expect(normalSilence(known)).toBe(3 * (2 * DAY - 9 * HOUR));
    expect(normalSilence(received(every(HOUR, 48, AT + 15 * DAY), known))).toBe(3 * HOUR);
    expect(known.days.length).toBeLessThanOrEqual(14);
  });

  it("does not count repeats as events", () => {
    const tally = new SenderTally("service");
    for (const at of every(HOUR, 40)) tally.authentic(at, REPEAT);
    expect(normalSilence(addNote(NOTHING, tally.take() ?? Object(undefined)))).toBeUndefined();
  });

  it("recovers from a clock that was a year ahead", () => {
    const known = received([
      ...every(HOUR, 30),
      AT + 365 * DAY,
      ...every(HOUR, 30, AT + 30 * HOUR),
    ]);
    expect(normalSilence(known)).toBe(3 * HOUR);
    expect(known.authenticAt).toBe(AT + 59 * HOUR);
  });
});

describe("no authentic deliveries", () => {
  const hourly = received(every(HOUR, 50));
  const last = hourly.authenticAt ?? 0;

  it("are noticed when the secret of a source with one event an hour is changed, which is tried three times", () => {
    let known = hourly;
    const holds: number[] = [];
    for (let hour = 1; hour <= 6; hour++) {
      const at = last + hour * HOUR;
      known = refused(known, [at, at + 60_000, at + 300_000], `event ${hour}`);
      if (noAuthentic(known, at + 300_001)) holds.push(hour);
    }
    expect(holds).toEqual([3, 4, 5, 6]);
    expect(known.mismatches).toMatchObject({ count: 18, bodies: 6 });
  });

  it("are not noticed for a scanner beside one event an hour, however much it sends", () => {
    let known = hourly;
    for (let hour = 1; hour <= 48; hour++) {
      const at = last + hour * HOUR;
      known = refused(known, every(1000, 500, at - HOUR + 1));
      expect(noAuthentic(known, at - 1)).toBe(false);
      known = received([at], known);
      expect(noAuthentic(known, at)).toBe(false);
    }
  });

  it("are not noticed for one body, without authentic ones before, or before 20 events", () => {
    const times = every(HOUR, 100, last + HOUR);
    const end = last + 200 * HOUR;
    expect(noAuthentic(refused(hourly, times, "the same"), end)).toBe(false);
    expect(noAuthentic(refused(NOTHING, times), end)).toBe(false);
    expect(noAuthentic(refused(received(every(HOUR, 19)), times), end)).toBe(false);
    expect(noAuthentic(refused(hourly, times), end)).toBe(true);
  });
});

describe("a note", () => {
  it("of mismatches before an authentic delivery that another process received counts for nothing", () => {
    const known = received([AT + 100]);
    expect(refused(known, [AT + 50])).toEqual(known);
  });

  it("of an authentic delivery before one that is known changes no time", () => {
    const known = refused(received([AT + 100]), [AT + 200]);
    expect(received([AT + 50], known)).toMatchObject({
      authenticAt: AT + 100,
      mismatches: { count: 1 },
    });
  });
});

it("a source is silent after 3 times its longest gap, if it ever was not and 20 events say what is normal", () => {
  const times = Array.from({ length: 20 }, (_, index) => AT + index * 2 * HOUR);
  const last = times.at(-1) ?? AT;
  const known = received(times);
  expect(isSilent(known, last + 6 * HOUR)).toBe(false);
  expect(isSilent(known, last + 6 * HOUR + 1)).toBe(true);
  expect(isSilent(received(times.slice(1)), last + DAY)).toBe(false);
  expect(isSilent(NOTHING, last + DAY)).toBe(false);
  expect(isSilent({ ...known, authenticAt: undefined } as never, last + DAY)).toBe(false);
});
