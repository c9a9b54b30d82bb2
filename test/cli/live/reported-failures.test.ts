import { expect, it, vi } from "vitest";
import { ReportedFailures } from "../../../src/cli/live/reported-failures.ts";
import type { Entry } from "../../../src/inbox/entry.ts";
import { outputUnderClock } from "./collected.ts";
import { attempt, ran } from "./observations.ts";

type Failed = "failing" | "dead" | "handled";

const failing = (seq: number) => ({ seq, state: "failing", attempts: 1, reason: null });

function open(terminal = false, entries?: readonly object[]) {
  const { output, bar, text, lines } = outputUnderClock({ terminal });
  const list = async (seqs: readonly number[]) =>
    (entries ?? seqs.map(failing)) as readonly Entry[];
  const failures = new ReportedFailures({ output, bar, clock: Date.now, list });
  const note = (seq: number, error: string, state: Failed = "failing") =>
    failures.note(attempt({ seq, state, records: state === "handled" ? [] : [ran({ error })] }));
  return { failures, note, text, texts: lines };
}

it("one entry's error is told in full, then that it is the same, until it changes or the entry ends", () => {
  const { note, texts } = open();
  const first = (error: string, state?: Failed) => note(1, error, state);
  expect(["no", "no", "other", "no"].map((error) => first(error))).toEqual([
    "whole",
    "again",
    "whole",
    "whole",
  ]);
  expect([first("no"), first("no", "dead")]).toEqual(["again", "whole"]);
  expect([first("", "handled"), first("no")]).toEqual(["whole", "whole"]);
  expect(texts()).toEqual([]);
});

it("an error that many entries share is told once, and then how many they are; another status is another", async () => {
  const { note, texts } = open();
  const all = Array.from({ length: 100 }, (_, index) => index + 1);
  const fail = (seq: number) => note(seq, `http://127.0.0.1:3000 answered 500: order ${seq}`);
  expect(all.map(fail)).toEqual(["whole", ...Array(99).fill("nothing")]);
  // Each is tried again and again, for 30 seconds.
  for (let second = 0; second < 30; second++) {
    expect(all.map(fail)).toEqual(Array(100).fill("nothing"));
    await vi.advanceTimersByTimeAsync(1000);
  }
  expect(texts()).toEqual([
    "#1   ✗ 100 failing like this: http://127.0.0.1:3000 answered 500: order 1",
  ]);
  for (const seq of all) note(seq, "", "handled");
  expect(texts().at(-1)).toBe("#1   ✓ none of 100 events fails like this any more");
  expect(note(1, "http://127.0.0.1:3000 answered 500")).toBe("whole");
  expect(note(2, "http://127.0.0.1:3000 answered 404")).toBe("whole");
});

it("the line at the bottom says how many fail, and not what a person dropped or another process handled", async () => {
  const entries = [
    { seq: 1, state: "dead", reason: "dropped" },
    { seq: 2, state: "handled", reason: null },
    { seq: 3, state: "running", reason: null },
    { seq: 4, state: "dead", reason: "attempts_exhausted" },
  ];
  const { failures, note, texts, text } = open(true, entries);
  for (const seq of [1, 4]) note(seq, "no", "dead");
  for (const seq of [2, 3]) note(seq, "no");
  await vi.advanceTimersByTimeAsync(200);
  expect(text()).toContain("2 failing, 2 dead");
  await vi.advanceTimersByTimeAsync(5000);
  expect(text().slice(text().lastIndexOf("failing") - 2)).toContain("1 failing, 1 dead");
  await failures.close();
  // The command names an entry that is still a dead letter.
  expect(texts().join()).toMatch(/1 failing, 1 dead like this: no; fix .* --like 4/);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(vi.getTimerCount()).toBe(0);
});

it("no more than ten thousand entries are remembered", () => {
  const { note } = open();
  for (let seq = 1; seq <= 10_001; seq++) note(seq, `no ${"ab".repeat(seq % 7)}`);
  expect(note(1, "no ")).toBe("nothing"); // its error is known, as others have it
});
