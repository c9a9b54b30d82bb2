import { existsSync, mkdirSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Runner } from "../../../../src/inbox/runner.ts";
import {
  isHeld,
  livingRunners,
  lockFile,
  runnerLock,
} from "../../../../src/inbox/sqlite/processes/runner-lock.ts";
import { Runners } from "../../../../src/inbox/sqlite/processes/runners.ts";
import { tempFolder } from "../../../cli/fake-io.ts";
import { keptLog } from "../../../receiver/sample.ts";

const OWN: Runner = {
  id: "0a",
  version: "1.0.0",
  role: "both",
  sources: ["service"],
  kinds: ["*"],
};

let path: string;
let recorded: Runner[];
let forgotten: string[];
let log: ReturnType<typeof keptLog>;
let runners: Runners;

/** Processes whose records are in a list. */
beforeEach(() => {
  path = join(tempFolder(), "inbox.db");
  recorded = [];
  forgotten = [];
  log = keptLog();
  runners = new Runners(
    path,
    {
      others: (own) => recorded.filter(({ id }) => id !== own),
      record: async (runner) => {
        recorded = [...recorded.filter(({ id }) => id !== runner.id), runner];
      },
      forget: async (ids) => {
        forgotten.push(...ids);
        recorded = recorded.filter(({ id }) => !ids.includes(id));
        return 0;
      },
    },
    log.log,
  );
  onTestFinished(() => runners.leave());
});

const other = (id: string) => recorded.push({ ...OWN, id });

function hold(id: string): void {
  other(id);
  const lock = runnerLock(path, id);
  onTestFinished(() => lock.release());
}

const idsOf = (list: readonly Runner[]) => list.map(({ id }) => id);

describe("a process beside an inbox", () => {
  it("sees the others that live, but not itself or the dead", async () => {
    hold("0b");
    other("0c");
    await runners.register(OWN);
    expect(idsOf(runners.others())).toEqual(["0b"]);
    expect(idsOf(recorded)).toEqual(["0b", "0c", "0a"]);
  });

  it("forgets the dead, removes their lock files, and logs nothing if they ran nothing", async () => {
    hold("0b");
    other("0c");
    writeFileSync(lockFile(path, "0c"), "");
    await runners.register(OWN);
    await runners.endLeasesOfDead();
    expect(forgotten).toEqual(["0c"]);
    expect(existsSync(lockFile(path, "0c"))).toBe(false);
    await runners.endLeasesOfDead();
    expect(forgotten).toEqual(["0c"]);
    expect(log.lines).toEqual([]);
  });

  it("acquires its lock again if that was removed, when it looks for the dead", async () => {
    await runners.register(OWN);
    unlinkSync(lockFile(path, "0a"));
    await runners.endLeasesOfDead();
    expect(isHeld(path, "0a")).toBe(true);
  });

  it("removes lock files that nobody recorded, but neither its own nor those of others", async () => {
    other("0c");
    for (const id of ["0c", "0d"]) writeFileSync(lockFile(path, id), "");
    await runners.register(OWN);
    runners.removeStrayLocks();
    expect(["0a", "0c", "0d"].map((id) => existsSync(lockFile(path, id)))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it("is forgotten and unlocked once it leaves, and can leave again", async () => {
    await runners.register(OWN);
    await runners.leave();
    expect([forgotten, livingRunners(path)]).toEqual([["0a"], []]);
    await runners.leave();
    expect(forgotten).toEqual(["0a"]);
    expect(existsSync(lockFile(path, "0a"))).toBe(false);
  });
});

describe("a process that cannot lock a file beside an inbox", () => {
  beforeEach(async () => {
    mkdirSync(lockFile(path, "0a"));
    other("0b");
    await runners.register(OWN);
  });

  it("says so once, with the error, and is not recorded, as others would take it for dead", async () => {
    await runners.register(OWN);
    expect(idsOf(recorded)).toEqual(["0b"]);
    expect(log.lines).toMatchObject([
      {
        level: "warn",
        fields: { inbox: path, error: expect.stringContaining("open database file") },
      },
    ]);
  });

  it("takes every other process for a living one, and cleans up after none", async () => {
    writeFileSync(lockFile(path, "0d"), "");
    expect(idsOf(runners.others())).toEqual(["0b"]);
    await runners.endLeasesOfDead();
    runners.removeStrayLocks();
    expect([forgotten, existsSync(lockFile(path, "0d"))]).toEqual([[], true]);
  });
});
