import {
  existsSync,
  readdirSync,
  readlinkSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  findDead,
  isHeld,
  livingRunners,
  lockedRunners,
  runnerLock,
} from "../../../../src/inbox/sqlite/processes/runner-lock.ts";
import { tempFolder } from "../../../cli/fake-io.ts";

const newInbox = () => join(tempFolder(), "inbox.db");

it("a held lock shows that its process is alive, also to this process", () => {
  const inbox = newInbox();
  const lock = runnerLock(inbox, "0a");
  for (let probe = 0; probe < 3; probe++) expect(isHeld(inbox, "0a")).toBe(true);
  lock.release();
  expect(isHeld(inbox, "0a")).toBe(false);
});

it("a released lock leaves no file", () => {
  const inbox = newInbox();
  const lock = runnerLock(inbox, "0a");
  expect(lockedRunners(inbox)).toEqual(["0a"]);
  expect(statSync(`${inbox}-holder-0a`).mode & 0o777).toBe(0o600);
  lock.release();
  expect(readdirSync(join(inbox, ".."))).toEqual([]);
});

it("a dead process is found by one process at a time, and its file is removed when it is buried", () => {
  const inbox = newInbox();
  const dead = findDead(inbox, "0a");
  dead?.cleanUp();
  runnerLock(inbox, "0b").release();
  const first = findDead(inbox, "0b");
  expect(first).toBeDefined();
  first?.cleanUp();
  expect(existsSync(`${inbox}-holder-0b`)).toBe(false);
});

it("a lock whose file was removed is acquired again", () => {
  const inbox = newInbox();
  const lock = runnerLock(inbox, "0a");
  unlinkSync(`${inbox}-holder-0a`);
  expect(isHeld(inbox, "0a")).toBe(false);
  lock.keep();
  expect(isHeld(inbox, "0a")).toBe(true);
  lock.release();
});

it("only files named after a lock's id are locks", () => {
  const inbox = newInbox();
  for (const name of ["0a", "0a-journal", "x0a", "", "0G"])
    writeFileSync(`${inbox}-holder-${name}`, "");
  writeFileSync(`${inbox}-wal`, "");
  runnerLock(`${inbox}-other`, "0b").keep();
  expect(lockedRunners(inbox)).toEqual(["0a"]);
  expect(livingRunners(inbox)).toEqual([]);
  expect(lockedRunners(join(inbox, "..", "none", "inbox.db"))).toEqual([]);
});

it("a look whether a process lives leaves its lock file as it was", () => {
  const inbox = newInbox();
  writeFileSync(`${inbox}-holder-0a`, "");
  expect([isHeld(inbox, "0a"), isHeld(inbox, "0b")]).toEqual([false, false]);
  expect(readdirSync(join(inbox, ".."))).toEqual(["inbox.db-holder-0a"]);
  const dead = findDead(inbox, "0a");
  expect(isHeld(inbox, "0a")).toBe(true); // this process cleans up after it
  dead?.cleanUp();
});

it("a living process is not found dead, and its lock stays", () => {
  const inbox = newInbox();
  const lock = runnerLock(inbox, "0a");
  expect(findDead(inbox, "0a")).toBeUndefined();
  lock.keep();
  expect(livingRunners(inbox)).toEqual(["0a"]);
  lock.release();
  expect(livingRunners(inbox)).toEqual([]);
});

it("a lock whose folder is gone cannot be acquired", () => {
  expect(() => runnerLock(join(newInbox(), "..", "none", "inbox.db"), "0a")).toThrow(
    /open database file/,
  );
});

it.runIf(process.platform === "linux")("looks at whether processes live leave no file open", () => {
  const inbox = newInbox();
  const lock = runnerLock(inbox, "0a");
  writeFileSync(`${inbox}-holder-0b`, "");
  const open = () =>
    readdirSync("/proc/self/fd").filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).startsWith(`${inbox}-holder-0b`);
      } catch {
        return false; // the folder's own, which is closed again
      }
    });
  for (let look = 0; look < 3; look++) expect(livingRunners(inbox)).toEqual(["0a"]);
  expect(open()).toEqual([]);
  findDead(inbox, "0b")?.cleanUp();
  expect(open()).toEqual([]);
  lock.release();
});
