import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, expect, it } from "vitest";
import { loadSqlite } from "../../src/inbox/sqlite/client.ts";
import { cli } from "./commands.ts";
import { answersIn, newPlace } from "./place.ts";
import { skip } from "./programs.ts";
import { ReceiverProcess } from "./receiver-process.ts";
import { SenderProcess } from "./sender-process.ts";

// A process that reads an inbox and closes it deletes the log if no other process has the file
// locked, so a receiver must hold its lock until it ends. POSIX releases all of a process's locks
// on a file when the process closes any handle of it.

/** The bytes that SQLite's readers lock: 0x40000002 and the following 509. */
const SHARED = "1073741826 1073742335";

const seen = showsLocks();

beforeEach((context) => {
  if (!seen) skip(context, "/proc/locks to show this file system's locks");
});

it("A receiver's lock is held from the start", { timeout: 60_000 }, async () => {
  const { place, receiver } = await start();
  expect(isLocked(place.inbox, receiver.pid)).toBe(true);
});

it("A receiver's lock is held after the writer thread has started, and after it has written for a while", {
  timeout: 60_000,
}, async () => {
  const { place, receiver, sender } = await startUnderLoad();
  expect(isLocked(place.inbox, receiver.pid)).toBe(true);
  await sleep(500);
  expect(isLocked(place.inbox, receiver.pid)).toBe(true);
  expect(await sender.stop()).toBe(true);
  expect(isLocked(place.inbox, receiver.pid)).toBe(true);
});

it("A receiver's lock is held after a second receiver of the same process was closed", {
  timeout: 60_000,
}, async () => {
  const { place, receiver } = await start();
  await receiver.openAndClose(place.inbox);
  expect(isLocked(place.inbox, receiver.pid)).toBe(true);
});

it("A receiver's lock is held after a second receiver of the same process, under a symbolic link's name, was closed", {
  timeout: 60_000,
}, async () => {
  const { place, receiver } = await start();
  const link = join(place.folder, "link.db");
  symlinkSync(place.inbox, link);
  await receiver.openAndClose(link);
  expect(isLocked(place.inbox, receiver.pid)).toBe(true);
});

it("A receiver's lock is held, and the log stays, under load and reading commands of another process", {
  timeout: 60_000,
}, async () => {
  const { place, receiver, sender } = await startUnderLoad();
  const log = statSync(`${place.inbox}-wal`).ino;
  for (const command of [["list"], ["show", "1"], ["export", "--limit", "20"]]) {
    expect(await cli(["events", ...command, "--inbox", place.inbox])).toMatchObject({ code: 0 });
    expect(isLocked(place.inbox, receiver.pid)).toBe(true);
    expect(statSync(`${place.inbox}-wal`, { throwIfNoEntry: false })?.ino).toBe(log);
  }
  expect(await sender.stop()).toBe(true);
  expect(answersIn(place).filter(({ status }) => status !== 200)).toEqual([]);
});

async function start() {
  const place = newPlace();
  const receiver = new ReceiverProcess(place);
  const port = await receiver.ready;
  return { place, receiver, port };
}

async function startUnderLoad() {
  const { place, receiver, port } = await start();
  const sender = new SenderProcess(place, { ports: [port] });
  await receiver.threaded;
  return { place, receiver, sender };
}

function isLocked(file: string, pid: number): boolean {
  const { ino } = statSync(file);
  const lock = new RegExp(String.raw`POSIX +ADVISORY +READ +${pid} \w+:\w+:${ino} ${SHARED}$`, "m");
  return lock.test(readFileSync("/proc/locks", "utf8"));
}

/**
 * Whether /proc/locks shows a lock that SQLite must hold: it does not on other systems and some
 * file systems.
 */
function showsLocks(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "hookporter-locks-"));
  const file = join(folder, "own.db");
  const database = new (loadSqlite().DatabaseSync)(file);
  try {
    database.exec(
      "PRAGMA journal_mode = WAL; CREATE TABLE own (value TEXT); BEGIN; SELECT * FROM own",
    );
    return isLocked(file, process.pid);
  } catch {
    return false;
  } finally {
    database.close();
    rmSync(folder, { recursive: true });
  }
}
