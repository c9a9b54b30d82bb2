import { describe, expect, it } from "vitest";
import type { EntryFilter } from "../../src/inbox/entry-filter.ts";
import { pauseLines, retryableSeqs } from "../../src/inbox/paced-retry.ts";
import type { PacedRetry, Pause } from "../../src/inbox/pause.ts";

const NOW = Date.UTC(2026, 0, 15, 10);

describe("a retry at a measured pace", () => {
  it("looks only for entries in states that can be retried", async () => {
    const asked: unknown[] = [];
    const list = async (filter: EntryFilter) => {
      asked.push(filter.states);
      return [];
    };
    await retryableSeqs({ list } as never, {});
    await retryableSeqs({ list } as never, { states: ["dead", "handled"] });
    expect(asked).toEqual([["waiting", "failing", "dead", "received"], ["dead"]]);
  });
});

describe("what is paused", () => {
  const retry: PacedRetry = {
    id: 3,
    since: NOW - 60_000,
    who: "ada",
    interval: 1,
    entries: 40,
    left: 30,
    until: NOW + 120_000,
  };
  const pause = (parts: Partial<Pause>): Pause => ({
    scope: "all",
    name: "",
    since: NOW - 60_000,
    who: "ada",
    ...parts,
  });
  const ofRetry = (parts: Partial<Pause> = {}) => pause({ scope: "retry", name: "3", ...parts });

  it.each<[string, Partial<Pause>, string]>([
    [
      "a retry that ended",
      { scope: "retry", name: "9" },
      "retry 9 has been paused for 60 s by ada",
    ],
    [
      "what stopped by itself",
      { who: "stopped: no" },
      "everything has been paused for 60 s stopped: no",
    ],
    [
      "what a clock ahead paused",
      { since: NOW + 5000 },
      "everything has been paused for 0 ms by ada",
    ],
  ])("is told of %s", (_, parts, line) => {
    expect(pauseLines({ paused: [pause(parts)], retries: [] }, NOW)).toEqual([line]);
  });

  it.each<[string, readonly Pause[], Partial<PacedRetry>, RegExp]>([
    ["under way", [], {}, /^retry 3 is under way: 30 of 40 left, the last due in 2 min$/],
    [
      "overdue",
      [],
      { until: NOW - 1 },
      /^retry 3 is under way: 30 of 40 left, the last due in 0 ms$/,
    ],
    [
      "stopped",
      [ofRetry({ who: "stopped: 2 failed" })],
      {},
      /^retry 3 is paused, stopped: 2 failed: 30 of 40 left$/,
    ],
    [
      "beside a paused kind of its number",
      [pause({ scope: "kind", name: "3" })],
      {},
      /^retry 3 is under way/,
    ],
  ])("is told of a retry that is %s", (_, paused, parts, line) => {
    const lines = pauseLines({ paused, retries: [{ ...retry, ...parts }] }, NOW);
    expect(lines.at(-1)).toMatch(line);
    expect(lines).toHaveLength(paused.some(({ scope }) => scope === "kind") ? 2 : 1);
  });
});
