import {
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { provideInboxFile } from "../../../src/inbox/sqlite/inbox-file.ts";
import { RunnerLock } from "../../../src/inbox/sqlite/runner-lock.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { keptLog } from "../../dispatch/sample.ts";
import { keep, sampleEntry } from "../entries.ts";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "hookporter-file-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function openInbox(path: string, log = keptLog()) {
  const inbox = sqliteInbox(path);
  await inbox.open({ log });
  onTestFinished(() => inbox.close());
  return { inbox, log };
}

describe("an inbox that does not exist", () => {
  it("is put in place whole, and leaves nothing else behind", () => {
    const path = join(newFolder(), "inbox.db");
    expect(provideInboxFile(path)).toEqual({ path, isNew: true });
    expect(statSync(path).size).toBeGreaterThan(0);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(path, ".."))).toEqual(["inbox.db"]);
    expect(provideInboxFile(path)).toEqual({ path, isNew: false });
  });

  it("is announced as new, once", async () => {
    const path = join(newFolder(), "inbox.db");
    const { log } = await openInbox(path);
    expect(log.lines).toMatchObject([{ level: "info" }]);
    expect((await openInbox(path)).log.lines).toEqual([]);
  });

  it("is refused while the log of the one that was there is left", async () => {
    const path = join(newFolder(), "inbox.db");
    writeFileSync(`${path}-wal`, "committed");
    await expect(openInbox(path)).rejects.toMatchObject({ code: "inbox_unavailable" });
    expect(readdirSync(join(path, ".."))).toEqual(["inbox.db-wal"]);
    writeFileSync(path, "");
    await expect(openInbox(path)).rejects.toMatchObject({ code: "inbox_unavailable" });
    expect(statSync(path).size).toBe(0);
  });

  it("is made if the log of the one that was there is empty", async () => {
    const path = join(newFolder(), "inbox.db");
    writeFileSync(`${path}-wal`, "");
    const { inbox } = await openInbox(path);
    expect(await keep(inbox, sampleEntry())).toMatchObject({ duplicate: false });
  });

  it("is refused while a process that had it open lives", async () => {
    const path = join(newFolder(), "inbox.db");
    const lock = new RunnerLock(path, "0a");
    await expect(openInbox(path)).rejects.toMatchObject({ code: "inbox_unavailable" });
    expect(existsSync(path)).toBe(false);
    lock.release();
    await openInbox(path);
  });

  it("removes what a process left that was killed while it made one, and not what is being made", () => {
    const path = join(newFolder(), "inbox.db");
    for (const name of ["old", "young"]) writeFileSync(`${path}-new-${name}`, "");
    const hourAgo = Date.now() / 1000 - 3600;
    utimesSync(`${path}-new-old`, hourAgo, hourAgo);
    provideInboxFile(path);
    expect(readdirSync(join(path, "..")).sort()).toEqual(["inbox.db", "inbox.db-new-young"]);
  });
});

it("an empty file becomes an inbox", async () => {
  const path = join(newFolder(), "inbox.db");
  writeFileSync(path, "");
  const { inbox, log } = await openInbox(path);
  expect(log.lines).toHaveLength(1);
  expect(await keep(inbox, sampleEntry())).toMatchObject({ duplicate: false });
});

it("an inbox that is opened by a symbolic link is the one that the link leads to", async () => {
  const folder = newFolder();
  const path = join(folder, "inbox.db");
  const { inbox } = await openInbox(path);
  const link = join(folder, "link.db");
  symlinkSync(path, link);
  const { inbox: other } = await openInbox(link);
  const { seq } = await keep(inbox, sampleEntry());
  expect(await keep(other, sampleEntry())).toMatchObject({ seq, duplicate: true });
  expect(existsSync(`${link}-wal`)).toBe(false);
});
