import { setTimeout } from "node:timers/promises";
import { afterEach, expect, it, vi } from "vitest";
import { pruneInbox } from "../../../src/inbox/prune.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { tempFolder } from "../../cli/fake-io.ts";
import { AT, keep, numberedEntry } from "../entries.ts";

vi.mock(import("node:timers/promises"), async (original) => {
  const timers = await original();
  return { ...timers, setTimeout: vi.fn(timers.setTimeout) as never };
});
afterEach(() => vi.clearAllMocks());

/** An inbox with 500 entries that are done, opened as a receiver or as another program. */
async function openFilled(access: "own" | "change") {
  const inbox = sqliteInbox(`${tempFolder()}/inbox.db`);
  await inbox.open();
  const state = { state: "done", reason: "no_handler" } as const;
  await Promise.all(Array.from({ length: 500 }, (_, n) => keep(inbox, numberedEntry(n, 0, state as never))));
  if (access === "own") return inbox;
  await inbox.close();
  await inbox.open({ access });
  return inbox;
}

/** How often it left the file to others, for 10 ms or more. */
const pauses = () => vi.mocked(setTimeout).mock.calls.filter(([ms = 0]) => ms >= 10).length;

it.each([
  ["change", 3],
  ["own", 0],
] as const)("pruning with access to %s pauses %i times in 3 steps", async (access, times) => {
  const inbox = await openFilled(access);
  vi.clearAllMocks();
  const prune = { states: ["done"], receivedUntil: AT + 1, datedUntil: AT + 1 } as const;
  expect(await pruneInbox(inbox, { prune })).toEqual({ pruned: 499, slimmed: 0 });
  expect(pauses()).toBe(times);
  await inbox.close();
});

it("erasing pauses after each step, of several entries where they are far apart", async () => {
  const inbox = await openFilled("change");
  const seqs = Array.from({ length: 10 }, (_, index) => 50 * (index + 1));
  vi.clearAllMocks();
  await inbox.erase?.(seqs, AT);
  expect(pauses()).toBe(1);
  await inbox.endErasure?.(AT);
  expect(pauses()).toBeGreaterThan(3);
  expect(pauses()).toBeLessThan(10);
  await inbox.close();
});
