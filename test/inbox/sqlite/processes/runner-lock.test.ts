import { readdirSync, readlinkSync, writeFileSync } from "node:fs";
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
