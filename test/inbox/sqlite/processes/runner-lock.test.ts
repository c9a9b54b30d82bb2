import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import {
  findDead,
  isHeld,
  lockedRunners,
  runnerLock,
} from "../../../../src/inbox/sqlite/processes/runner-lock.ts";

function newInbox(): string {
  const folder = mkdtempSync(join(tmpdir(), "hookporter-lock-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "inbox.db");
}

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

it("files with other names next to an inbox are not locks", () => {
  const inbox = newInbox();
  runnerLock(`${inbox}-other`, "0a").keep();
  expect(lockedRunners(inbox)).toEqual([]);
});
