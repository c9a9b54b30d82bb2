import { existsSync, mkdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { reserveInstants } from "../../../src/cli/send/instants.ts";
import { folderWith } from "../folder-with.ts";

const NOW = Date.UTC(2026, 0, 15, 10);

function folder(lastInstant?: string) {
  const noted = lastInstant === undefined ? {} : { ".hookporter/last-instant": lastInstant };
  const cwd = folderWith(noted);
  const state = join(cwd, ".hookporter");
  const path = join(state, "last-instant");
  const reserve = (count: number, { now = NOW, dryRun = false } = {}) =>
    reserveInstants(count, { cwd, clock: () => now, dryRun });
  return { state, path, lock: `${path}.lock`, reserve };
}

it.each([
  [`${NOW + 60_000}\n`, NOW + 60_001],
  [`${NOW + 60_001}\n`, NOW], // of a clock that was ahead
  ["", NOW],
  ["soon", NOW],
  ["1e400", NOW],
  ["1.5", NOW],
])("after a last run that noted %j, the next begins at %i", async (noted, first) => {
  expect(await folder(noted).reserve(1)).toBe(first);
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
  const reserved = reserve(1);
  expect(await Promise.race([reserved, wait(50)])).toBeUndefined();
  expect(statSync(lock).isFile()).toBe(true);
  hold(60_000);
  expect(await reserved).toBe(NOW + 2);
  await vi.waitFor(() => expect(existsSync(lock)).toBe(false));
});
