import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ReportedFailures } from "../../../src/cli/live/reported-failures.ts";
import { StatusBar } from "../../../src/cli/live/status-bar.ts";
import { createOutput } from "../../../src/cli/output.ts";
import type { Entry } from "../../../src/inbox/entry.ts";
import type { AttemptObservation } from "../../../src/receiver/observation.ts";
import { collected } from "./collected.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Failed = "failing" | "dead" | "handled";

function attempt(seq: number, error: string, state: Failed = "failing"): AttemptObservation {
  const run = {
    attempt: 1,
    handler: "*",
    startedAt: 0,
    duration: 1,
    outcome: "error",
    note: null,
  } as const;
  return {
    type: "attempt",
    seq,
    eventId: "evt_1",
    kind: null,
    attempt: 1,
    problems: [],
    state,
    reason: null,
    runAt: 0,
    records: state === "handled" ? [] : [{ ...run, error, failure: null }],
  };
}

function open(terminal = false, entries?: readonly object[]) {
  const { io, text } = collected(terminal);
  const output = createOutput(io, { json: false, color: false, clock: Date.now });
  const failures = new ReportedFailures({
    output,
    bar: new StatusBar(output),
    clock: Date.now,
    list: async (seqs) =>
      (entries ??
        seqs.map((seq) => ({
          seq,
          state: "failing",
          attempts: 1,
          reason: null,
        }))) as readonly Entry[],
  });
  const lines = () =>
    text()
      .split("\n")
      .filter((line) => line !== "");
  return {
    failures,
    lines,
    text,
    texts: () => lines().map((line) => line.replace(/^\S+ {2}/, "")),
  };
}

it("one entry's error is told in full, then that it is the same, until it changes or the entry ends", () => {
  const { failures, texts } = open();
  const note = (error: string, state?: Failed) => failures.note(attempt(1, error, state));
  expect([note("no"), note("no"), note("other"), note("no")]).toEqual([
    "whole",
    "again",
    "whole",
    "whole",
  ]);
  expect([note("no"), note("no", "dead")]).toEqual(["again", "whole"]);
  expect([note("", "handled"), note("no")]).toEqual(["whole", "whole"]);
  expect(texts()).toEqual([]);
});

it("an error that many entries share is told once, and then how many they are", async () => {
  const { failures, texts } = open();
  const all = Array.from({ length: 100 }, (_, index) => index + 1);
  const tellings = all.map((seq) =>
    failures.note(attempt(seq, `http://127.0.0.1:3000 answered 500: order ${seq}`)),
  );
  expect(tellings).toEqual(["whole", ...Array(99).fill("nothing")]);
  // Each is tried again and again, for 30 seconds.
  for (let second = 0; second < 30; second++) {
    for (const seq of all)
      expect(failures.note(attempt(seq, `http://127.0.0.1:3000 answered 500: order ${seq}`))).toBe(
        "nothing",
      );
    await vi.advanceTimersByTimeAsync(1000);
  }
  expect(texts()).toEqual([
    "#1   ✗ 100 failing like this: http://127.0.0.1:3000 answered 500: order 1",
  ]);
  for (const seq of all) failures.note(attempt(seq, "", "handled"));
  expect(texts().at(-1)).toBe("#1   ✓ none of 100 events fails like this any more");
});

it("forty dead letters of one cause have a row each, and the fix once", async () => {
  const { failures, texts } = open();
  const tellings = [];
  for (let seq = 1; seq <= 40; seq++) {
    tellings.push(failures.note(attempt(seq, "no ledger", "dead")));
    await vi.advanceTimersByTimeAsync(2000);
  }
  expect(tellings).toEqual(["whole", ...Array(39).fill({ as: 1 })]);
  await failures.close();
  expect(texts().length).toBeLessThan(8);
  expect(texts().at(-1)).toBe(
    "#1   ✗ 40 dead like this: no ledger; fix the cause, then: hookporter events retry --like 1",
  );
});

it("another status is another error", () => {
  const { failures } = open();
  expect(failures.note(attempt(1, "http://127.0.0.1:3000 answered 500"))).toBe("whole");
  expect(failures.note(attempt(2, "http://127.0.0.1:3000 answered 404"))).toBe("whole");
});

it("the line at the bottom says how many fail", async () => {
  const { failures, text } = open(true);
  failures.note(attempt(1, "no"));
  failures.note(attempt(2, "no", "dead"));
  await vi.advanceTimersByTimeAsync(200);
  expect(text()).toContain("1 failing, 1 dead");
});

it("what a person dropped or another process handled fails no more", async () => {
  const entries = [
    { seq: 1, state: "dead", reason: "dropped" },
    { seq: 2, state: "handled", reason: null },
    { seq: 3, state: "running", reason: null },
    { seq: 4, state: "dead", reason: "attempts_exhausted" },
  ];
  const { failures, texts, text } = open(true, entries);
  for (const seq of [1, 4]) failures.note(attempt(seq, "no", "dead"));
  for (const seq of [2, 3]) failures.note(attempt(seq, "no"));
  await vi.advanceTimersByTimeAsync(5200);
  expect(text().slice(text().lastIndexOf("failing") - 2)).toContain("1 failing, 1 dead");
  await failures.close();
  // The command names an entry that is still a dead letter.
  expect(texts().join()).toMatch(/1 failing, 1 dead like this: no; fix .* --like 4/);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(vi.getTimerCount()).toBe(0);
});

it("the numbers at the end are those of the end, after others were dropped or retried elsewhere", async () => {
  const { failures, texts } = open(false, [
    { seq: 1, state: "failing", attempts: 1, reason: null },
    { seq: 2, state: "waiting", attempts: 0, reason: null },
    { seq: 3, state: "dead", attempts: 1, reason: "dropped" },
  ]);
  for (const seq of [1, 2, 3]) failures.note(attempt(seq, "no"));
  await failures.close();
  expect(texts()).toEqual(["#1   ✗ 1 failing like this: no"]);
});

it("the first of those that failed alike is not said to be like itself", () => {
  const { failures } = open();
  expect([1, 2].map((seq) => failures.note(attempt(seq, "no", "dead")))).toEqual([
    "whole",
    { as: 1 },
  ]);
  expect([1, 2].map((seq) => failures.note(attempt(seq, "no", "dead")))).toEqual([
    "whole",
    { as: 1 },
  ]);
});

it("no more than ten thousand entries are remembered", () => {
  const { failures } = open();
  for (let seq = 1; seq <= 10_001; seq++) failures.note(attempt(seq, `no ${"ab".repeat(seq % 7)}`));
  expect(failures.note(attempt(1, "no "))).toBe("nothing"); // its error is known, as others have it
});
