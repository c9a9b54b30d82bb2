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
import { provideInboxFile } from "../../../../src/inbox/sqlite/file/inbox-file.ts";
import { runnerLock } from "../../../../src/inbox/sqlite/processes/runner-lock.ts";
import { sqliteInbox } from "../../../../src/inbox/sqlite.ts";
import { keptLog } from "../../../dispatch/sample.ts";
import { keep, sampleEntry } from "../../entries.ts";

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

describe("a new inbox", () => {
  it("is created complete, and leaves no other files", () => {
    const path = join(newFolder(), "inbox.db");
    expect(provideInboxFile(path)).toEqual({ path, isNew: true });
    expect(statSync(path).size).toBeGreaterThan(0);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(path, ".."))).toEqual(["inbox.db"]);
    expect(provideInboxFile(path)).toEqual({ path, isNew: false });
  });

  it("is reported as new once", async () => {
    const path = join(newFolder(), "inbox.db");
    const { log } = await openInbox(path);
    expect(log.lines).toMatchObject([{ level: "info" }]);
    expect((await openInbox(path)).log.lines).toEqual([]);
  });

  it("is refused if the log of a removed inbox has content", async () => {
    const path = join(newFolder(), "inbox.db");
    writeFileSync(`${path}-wal`, "committed");
    await expect(openInbox(path)).rejects.toMatchObject({ code: "inbox_unavailable" });
    expect(readdirSync(join(path, ".."))).toEqual(["inbox.db-wal"]);
    writeFileSync(path, "");
    await expect(openInbox(path)).rejects.toMatchObject({ code: "inbox_unavailable" });
    expect(statSync(path).size).toBe(0);
  });

  it("is created if the log of a removed inbox is empty", async () => {
    const path = join(newFolder(), "inbox.db");
    writeFileSync(`${path}-wal`, "");
    const { inbox } = await openInbox(path);
    expect(await keep(inbox, sampleEntry())).toMatchObject({ duplicate: false });
  });

  it("is refused while a process still has the removed one open", async () => {
    const path = join(newFolder(), "inbox.db");
    const lock = runnerLock(path, "0a");
    await expect(openInbox(path)).rejects.toMatchObject({ code: "inbox_unavailable" });
    expect(existsSync(path)).toBe(false);
    lock.release();
    await openInbox(path);
  });

  it("removes an old temporary file of a killed process, but not a recent one", () => {
    const path = join(newFolder(), "inbox.db");
    const old = "0123456789ab";
    const young = "ba9876543210";
    for (const name of [old, young]) writeFileSync(`${path}-new-${name}`, "");
    const hourAgo = Date.now() / 1000 - 3600;
    utimesSync(`${path}-new-${old}`, hourAgo, hourAgo);
    provideInboxFile(path);
    expect(readdirSync(join(path, "..")).sort()).toEqual(["inbox.db", `inbox.db-new-${young}`]);
  });
});

it("a symbolic link opens the inbox it points to", async () => {
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
