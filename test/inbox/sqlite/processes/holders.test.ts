import { writeFileSync } from "node:fs";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openDatabase } from "../../../../src/inbox/sqlite/client.ts";
import { openFile } from "../../../../src/inbox/sqlite/file/inbox-file.ts";
import { livingHolders } from "../../../../src/inbox/sqlite/processes/holders.ts";
import { lockFile, runnerLock } from "../../../../src/inbox/sqlite/processes/runner-lock.ts";
import { recordRunner } from "../../../../src/inbox/sqlite/processes/runner-records.ts";
import { closing } from "../../../../src/inbox/sqlite/statements.ts";
import { newPath } from "../opened.ts";

const TELLS = process.platform === "linux";
const OWN_PID = TELLS ? process.pid : null;

let path: string;

beforeEach(() => {
  path = newPath();
  openFile(path, "own").database.close();
});

function hold(id: string): void {
  const lock = runnerLock(path, id);
  onTestFinished(() => lock.release());
}

function record(id: string): void {
  const runner = {
    id,
    version: "1.2.3",
    role: "receive",
    sources: ["service"],
    kinds: ["*"],
  } as const;
  closing(openDatabase(path), (statements) => recordRunner(statements, runner, 0));
}

const holders = () => closing(openDatabase(path), (statements) => livingHolders(path, statements));

describe("the living processes that hold an inbox file", () => {
  it("are none if no process has a lock beside it", () => {
    record("0a");
    writeFileSync(lockFile(path, "0b"), "");
    expect(holders()).toEqual([]);
    expect(livingHolders(path)).toEqual([]);
  });

  it("are known with what they have registered, by its id", () => {
    record("0b");
    record("0c");
    hold("0a");
    hold("0b");
    const known = { pid: OWN_PID, version: "1.2.3", role: "receive" };
    expect(holders().toSorted((a, b) => a.id.localeCompare(b.id))).toEqual([
      { id: "0a", pid: OWN_PID, version: null, role: null },
      { id: "0b", ...known },
    ]);
    expect(livingHolders(path)).toContainEqual({
      id: "0b",
      pid: OWN_PID,
      version: null,
      role: null,
    });
  });
});
