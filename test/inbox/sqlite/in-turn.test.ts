import { createHook } from "node:async_hooks";
import { expect, it, onTestFinished, vi } from "vitest";
import { pruneInbox } from "../../../src/inbox/prune.ts";
import { Statements } from "../../../src/inbox/sqlite/statements.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { tempFolder } from "../../cli/fake-io.ts";
import { AT, endErasure, eraseEntries, keep, numberedEntry, sampleDelivery } from "../entries.ts";
import { connect } from "./changed-file.ts";
import { open } from "./opened.ts";

/** An inbox with 500 entries that are done, opened as a receiver or as another program. */
async function openFilled(access: "own" | "change") {
  const inbox = sqliteInbox(`${tempFolder()}/inbox.db`);
  await inbox.open();
  const state = { state: "handled", reason: "no_handler" } as const;
  await Promise.all(
    Array.from({ length: 500 }, (_, n) => keep(inbox, numberedEntry(n, 0, state as never))),
  );
  if (access === "own") return inbox;
  await inbox.close();
  await inbox.open({ access });
  return inbox;
}

/** How often some work left the file to others, for 10 ms or more; other timers do not count. */
async function pausesOf(work: () => Promise<unknown>): Promise<number> {
  let pauses = 0;
  const hook = createHook({
    init: (_, type, __, { _idleTimeout: ms = 0 }: { _idleTimeout?: number }) => {
      if (type !== "Timeout" || ms < 10) return;
      if (new Error().stack?.includes("sqlite/in-turn.ts")) pauses++;
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
  const prune = { states: ["handled"], receivedUntil: AT + 1, datedUntil: AT + 1 } as const;
  const pauses = await pausesOf(async () => {
    expect(await pruneInbox(inbox, { prune })).toEqual({ pruned: 499, slimmed: 0 });
  });
  expect(pauses).toBe(times);
  await inbox.close();
});

it("erasing pauses after each step, of several entries where they are far apart", async () => {
  const inbox = await openFilled("change");
  const seqs = Array.from({ length: 10 }, (_, index) => 50 * (index + 1));
  expect(await pausesOf(async () => eraseEntries(inbox, seqs))).toBe(1);
  const pauses = await pausesOf(async () => endErasure(inbox));
  expect(pauses).toBeGreaterThan(3);
  expect(pauses).toBeLessThan(10);
  await inbox.close();
});

it("a step of erasing that writes large bodies again has few of them", async () => {
  const inbox = await open();
  const body = new Uint8Array(20_000);
  const delivery = sampleDelivery({ body });
  await Promise.all(
    Array.from({ length: 500 }, (_, n) => keep(inbox, numberedEntry(n, 0, { delivery }))),
  );
  let written = 0;
  let most = 0;
  const { insertRow, begin } = Statements.prototype;
  vi.spyOn(Statements.prototype, "begin").mockImplementation(function (this: Statements) {
    written = 0;
    begin.call(this);
  });
  vi.spyOn(Statements.prototype, "insertRow").mockImplementation(function (
    this: Statements,
    table,
    row,
  ) {
    if (table === "delivery") written += body.byteLength;
    most = Math.max(most, written);
    insertRow.call(this, table, row);
  });
  onTestFinished(() => void vi.restoreAllMocks());
  await eraseEntries(
    inbox,
    Array.from({ length: 100 }, (_, index) => 5 * index + 1),
  );
  await endErasure(inbox);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThan(3_000_000);
});

it("a command that ends beside a long reader does not keep writers out until that has ended", async () => {
  const path = `${tempFolder()}/inbox.db`;
  const receiver = await open(path);
  await keep(receiver, numberedEntry(1));
  connect(path).exec("BEGIN; SELECT count(*) FROM entry");
  const command = sqliteInbox(path);
  await command.open({ access: "change" });
  await keep(command, numberedEntry(2));
  const waits: number[] = [];
  for (const name of ["get", "exec"] as const) {
    const run = Statements.prototype[name] as (sql: string) => never;
    vi.spyOn(Statements.prototype, name).mockImplementation(function (
      this: Statements,
      sql: string,
    ) {
      if (sql.includes("TRUNCATE")) waits.push(this.lockWait);
      return run.call(this, sql);
    });
  }
  onTestFinished(() => void vi.restoreAllMocks());
  await command.close();
  expect(waits).toHaveLength(1);
  expect(Math.max(...waits)).toBeLessThanOrEqual(100);
});
