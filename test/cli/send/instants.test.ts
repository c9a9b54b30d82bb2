import { existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { reserveInstants } from "../../../src/cli/send/instants.ts";
import { tempFolder } from "../fake-io.ts";

const NOW = Date.UTC(2026, 0, 15, 10);

function folder(lastInstant?: string) {
  const cwd = tempFolder();
  const state = join(cwd, ".hookporter");
  const path = join(state, "last-instant");
  if (lastInstant !== undefined) {
    mkdirSync(state);
    writeFileSync(path, lastInstant);
  }
  const reserve = (count: number, { now = NOW, dryRun = false } = {}) =>
    reserveInstants(count, { cwd, clock: () => now, dryRun });
  return {
    cwd,
    state,
    path,
    lock: `${path}.lock`,
    reserve,
    last: () => readFileSync(path, "utf8"),
  };
}

it("the last of some milliseconds is the clock's, and is noted", async () => {
  const { reserve, last, lock } = folder();
  expect(await reserve(5)).toBe(NOW - 4);
  expect(last()).toBe(`${NOW}\n`);
  expect(existsSync(lock)).toBe(false);
});

it("those of another run begin after them, unless the clock is further", async () => {
  const { reserve } = folder();
  expect(await reserve(5)).toBe(NOW - 4);
  expect(await reserve(3)).toBe(NOW + 1);
  expect(await reserve(1, { now: NOW + 3 })).toBe(NOW + 4);
  expect(await reserve(2, { now: NOW + 10 })).toBe(NOW + 9);
});

it.each([
  [60_000, NOW + 60_001],
  [60_001, NOW],
])("a last run that is %i ms ahead of the clock begins the next at %i", async (ahead, first) => {
  expect(await folder(`${NOW + ahead}\n`).reserve(1)).toBe(first);
});

it.each(["", "soon", "1e400", "1.5"])("what is no instant does not count: %j", async (text) => {
  expect(await folder(text).reserve(1)).toBe(NOW);
});

it("a run that sends nothing makes no folder, but goes by one that is there", async () => {
  const bare = folder();
  expect(await bare.reserve(2, { dryRun: true })).toBe(NOW - 1);
  expect(existsSync(bare.state)).toBe(false);
  expect(await folder(`${NOW}\n`).reserve(2, { dryRun: true })).toBe(NOW + 1);
});

it("a folder that cannot be written remembers nothing, and does not stop a run", async () => {
  const { reserve, state } = folder();
  writeFileSync(state, "");
  expect(await reserve(3)).toBe(NOW - 2);
  const other = folder();
  mkdirSync(other.path, { recursive: true });
  expect(await other.reserve(3)).toBe(NOW - 2);
  expect(existsSync(other.lock)).toBe(false);
});

it("a lock that a killed process left is removed once it is two seconds old, and waited for until then", async () => {
  const { reserve, lock } = folder(`${NOW}\n`);
  const hold = (age: number) => {
    writeFileSync(lock, "");
    const at = (Date.now() - age) / 1000;
    utimesSync(lock, at, at);
  };
  hold(60_000);
  expect(await reserve(1)).toBe(NOW + 1);
  hold(1000);
  let isDone = false;
  const reserved = reserve(1).then((first) => {
    isDone = true;
    return first;
  });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect([isDone, statSync(lock).isFile()]).toEqual([false, true]);
  hold(60_000);
  expect(await reserved).toBe(NOW + 2);
  await vi.waitFor(() => expect(existsSync(lock)).toBe(false));
});
