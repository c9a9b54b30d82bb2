import { createHook } from "node:async_hooks";
import { expect, it } from "vitest";
import { pruneInbox } from "../../../src/inbox/prune.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { tempFolder } from "../../cli/fake-io.ts";
import { AT, keep, numberedEntry } from "../entries.ts";

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

/** How often some work left the file to others, for 10 ms or more. */
async function pausesOf(work: () => Promise<unknown>): Promise<number> {
  let pauses = 0;
  const hook = createHook({
    init: (_, type, __, { _idleTimeout: ms = 0 }: { _idleTimeout?: number }) => {
      if (type === "Timeout" && ms >= 10) pauses++;
    },
  }).enable();
  await work().finally(() => hook.disable());
  return pauses;
}

it.each([
  ["change", 3],
  ["own", 0],
] as const)("pruning with access to %s pauses %i times in 3 steps", async (access, times) => {
  const inbox = await openFilled(access);
  const prune = { states: ["done"], receivedUntil: AT + 1, datedUntil: AT + 1 } as const;
  const pauses = await pausesOf(async () => {
    expect(await pruneInbox(inbox, { prune })).toEqual({ pruned: 499, slimmed: 0 });
  });
  expect(pauses).toBe(times);
  await inbox.close();
});

it("erasing pauses after each step, of several entries where they are far apart", async () => {
  const inbox = await openFilled("change");
  const seqs = Array.from({ length: 10 }, (_, index) => 50 * (index + 1));
  expect(await pausesOf(async () => inbox.erase?.(seqs, AT))).toBe(1);
  const pauses = await pausesOf(async () => inbox.endErasure?.(AT));
  expect(pauses).toBeGreaterThan(3);
  expect(pauses).toBeLessThan(10);
  await inbox.close();
});
