import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import {
  findInboxFile,
  makeTables,
  provideInboxFile,
} from "../../../../src/inbox/sqlite/file/inbox-file.ts";
import { runnerLock } from "../../../../src/inbox/sqlite/processes/runner-lock.ts";
import { tempFolder } from "../../../cli/fake-io.ts";
import { AT, keep, sampleEntry } from "../../entries.ts";
import { open } from "../opened.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = tempFolder();
  path = join(folder, "inbox.db");
});

describe("a new inbox", () => {
  it("is created complete, and leaves no other files", () => {
    expect(provideInboxFile(path)).toEqual({ path, isNew: true });
    expect(statSync(path).size).toBeGreaterThan(0);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["inbox.db"]);
    expect(provideInboxFile(path)).toEqual({ path, isNew: false });
  });

  it("is in a file that has a log from the first write, and gives free pages back", () => {
    makeTables(path, AT);
    const header = readFileSync(path).subarray(0, 100);
    // versions to write and read it: 2 is one with a log
    expect([header[18], header[19]]).toEqual([2, 2]);
    // incremental auto-vacuum
    expect([header.readUInt32BE(52) > 0, header.readUInt32BE(64)]).toEqual([true, 1]);
    expect(header.toString("latin1", 68, 72)).toBe("hkpt");
  });

  it("is created if the log of a removed inbox is empty", async () => {
    writeFileSync(`${path}-wal`, "");
    expect(await keep(await open(path), sampleEntry())).toMatchObject({ duplicate: false });
  });

  it("is refused while a process still has the removed one open", async () => {
    const lock = runnerLock(path, "0a");
    await expect(open(path)).rejects.toMatchObject({ code: "inbox_unavailable" });
    expect(existsSync(path)).toBe(false);
    lock.release();
    await open(path);
  });
});

describe("an inbox file that is looked for", () => {
  it("is told by its real path", () => {
    makeTables(path, AT);
    symlinkSync(path, join(folder, "link.db"));
    expect(findInboxFile(join(folder, "link.db"))).toBe(path);
    expect(provideInboxFile(join(folder, "link.db"))).toEqual({ path, isNew: false });
  });

  it("is made for a receiver with its folders, which are its owner's alone, under its real path", () => {
    mkdirSync(join(folder, "real"));
    symlinkSync(join(folder, "real"), join(folder, "link"));
    const made = provideInboxFile(join(folder, "link", "a", "b", "inbox.db"));
    expect(made).toEqual({ path: join(folder, "real", "a", "b", "inbox.db"), isNew: true });
    if (process.platform !== "win32")
      expect(statSync(join(folder, "real", "a", "b")).mode & 0o777).toBe(0o700);
  });
});
