import { execFileSync } from "node:child_process";
import { renameSync, rmSync, statSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import type { Inbox } from "../../../../src/inbox/inbox.ts";
import { sqliteInbox } from "../../../../src/inbox/sqlite.ts";
import { keep, numberedEntry } from "../../entries.ts";
import { newPath, open } from "../opened.ts";

const COUNT = 20;

let path: string;
let inbox: Inbox;

/** An open inbox with acknowledged entries that are only in its log. */
beforeEach(async () => {
  path = newPath();
  inbox = await open(path);
  for (let number = 0; number < COUNT; number++) await keep(inbox, numberedEntry(number));
});

const moved = () => renameSync(path, `${path}.moved`);

/**
 * Puts a copy in its place, as sync tools and some editors do. Copied by a process: closing the
 * file would end our locks.
 */
function replaceByCopy(): void {
  execFileSync(process.execPath, [
    "-e",
    "fs.copyFileSync(...process.argv.slice(1))",
    path,
    `${path}.copy`,
  ]);
  renameSync(`${path}.copy`, path);
}

describe.skipIf(process.platform === "win32")("an inbox whose file is no longer in place", () => {
  it.each([
    ["a copy of itself", replaceByCopy],
    ["no file, because it was moved", moved],
    ["no file, because it was deleted", () => rmSync(path)],
  ])("keeps its log when it is closed with %s there", async (_, remove) => {
    const before = statSync(`${path}-wal`).size;
    remove();
    await expect(keep(inbox, numberedEntry(COUNT))).rejects.toMatchObject({
      code: "inbox_unavailable",
    });
    await inbox.close();
    expect(statSync(`${path}-wal`).size).toBe(before);
  });

  it("has all acknowledged entries at the next start if a copy of itself is in its place", async () => {
    replaceByCopy();
    await inbox.close();
    expect(await (await open(path)).counts()).toMatchObject({ waiting: COUNT });
  });

  it("is refused at the next start, and has all acknowledged entries once it is put back", async () => {
    moved();
    await inbox.close();
    await expect(sqliteInbox(path).open()).rejects.toMatchObject({ code: "inbox_unavailable" });
    renameSync(`${path}.moved`, path);
    expect(await (await open(path)).counts()).toMatchObject({ waiting: COUNT });
  });

  it("keeps its log even if nothing was written since it was opened", async () => {
    const change = sqliteInbox(path);
    await change.open({ access: "change" });
    const before = statSync(`${path}-wal`).size;
    replaceByCopy();
    await change.close();
    expect(statSync(`${path}-wal`).size).toBe(before);
  });
});
