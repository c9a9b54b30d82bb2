import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { ERASED } from "../../src/inbox/reasons.ts";
import { keep, numberedEntry } from "./entries.ts";

const bin = join(import.meta.dirname, "..", "..", "dist", "bin.js");

/** The kinds of entries, of which each command erases one. */
const KINDS = ["payment.received", "lead.created"] as const;

interface Receipt {
  readonly erased: number;
  readonly filter: string;
  readonly erasedBefore: number;
  readonly unfinishedSince: string | null;
}

/** Starts the command in a process of its own. */
function startErasing(inbox: string, kind: string) {
  const argv = [bin, "events", "erase", "--inbox", inbox, "--kind", kind, "--yes", "--json"];
  const child = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stdout = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  const ended = once(child, "close").then(([code]) => {
    const records = stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
    const receipt: Receipt | undefined = records.find(({ type }) => type === "erase");
    const failed = records.find(({ type }) => type === "error") as { message: string } | undefined;
    return {
      code: code as number | null,
      erased: receipt?.erased ?? 0,
      failed: failed?.message,
      receipt,
    };
  });
  return { child: child as ChildProcess, ended, shown: () => stdout };
}

async function fill(inbox: Inbox, many: number): Promise<void> {
  const entries = Array.from({ length: many }, (_, number) =>
    numberedEntry(number, 0, { kind: KINDS[number % KINDS.length] as string }),
  );
  await Promise.all(entries.map((entry) => keep(inbox, entry)));
}

async function countErased(inbox: Inbox, limit = 10_000): Promise<number> {
  const done = await inbox.list({ states: ["handled"], limit });
  return done.filter(({ reason }) => reason === ERASED).length;
}

/**
 * Two commands at once give receipts for exactly what was erased; one that finds another at work is
 * refused.
 */
export async function eraseTwiceAtOnce(inbox: Inbox, name: string): Promise<void> {
  await fill(inbox, 3000);
  const runs = await Promise.all(KINDS.map((kind) => startErasing(name, kind).ended));
  expect(await countErased(inbox)).toBe(runs.reduce((sum, { erased }) => sum + erased, 0));
  for (const { code, failed } of runs.filter((run) => run.code !== 0)) {
    expect({ code, failed }).toEqual({
      code: 3,
      failed: expect.stringContaining(` on ${hostname()} has been erasing`),
    });
  }
  const again = await Promise.all([startErasing(name, KINDS[0]).ended]);
  again.push(await startErasing(name, KINDS[1]).ended);
  const all = [...runs, ...again];
  expect(again.map(({ code }) => code)).toEqual([0, 0]);
  expect(all.map(({ erased }) => erased).filter((erased) => erased > 0)).toEqual([1500, 1500]);
  expect(await countErased(inbox)).toBe(3000);
}

/**
 * A command that was killed keeps no other one out: run again, its receipt counts what was erased
 * now and before.
 */
export async function eraseAfterKill(inbox: Inbox, name: string): Promise<void> {
  await fill(inbox, 4000);
  const first = startErasing(name, KINDS[0]);
  while ((await countErased(inbox, 1)) === 0 && first.child.exitCode === null) await delay(1);
  first.child.kill("SIGKILL");
  const killed = await first.ended;
  const before = await countErased(inbox);
  const second = await startErasing(name, KINDS[0]).ended;
  expect([killed.code, second.code]).toEqual([null, 0]);
  expect(await countErased(inbox)).toBe(2000);
  expect(second.receipt).toMatchObject({
    erased: 2000 - before,
    erasedBefore: before,
    unfinishedSince: expect.stringMatching(/^\d{4}-/),
    filter: expect.stringContaining(KINDS[0]),
  });
  const third = await startErasing(name, KINDS[1]).ended;
  expect(third.receipt).toMatchObject({ erased: 2000, erasedBefore: 0, unfinishedSince: null });
}

/** A command is told which process erases, and since when. */
export async function refuseSecond(inbox: Inbox, name: string): Promise<void> {
  await keep(inbox, numberedEntry(1, 0, { kind: KINDS[0] }));
  const began = new Date().toISOString().slice(0, 10);
  await inbox.erase(async () => {
    const { code, failed } = await startErasing(name, KINDS[0]).ended;
    expect({ code, failed }).toEqual({
      code: 3,
      failed: expect.stringContaining(
        `process ${process.pid} on ${hostname()} has been erasing entries since ${began}`,
      ),
    });
  });
  expect(await startErasing(name, KINDS[0]).ended).toMatchObject({ code: 0, erased: 1 });
}
