import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, statSync, truncateSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import type { Inbox } from "../../../src/inbox/inbox.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { inboxFile, keptLog, until } from "../../receiver/sample.ts";
import { keep, numberedEntry } from "../entries.ts";
import { ALWAYS, threadedInbox } from "../threaded.ts";
import { connect } from "./changed-file.ts";

const cutLog = (path: string, to: number) => truncateSync(`${path}-wal`, to);

/**
 * Keeps entries until one is refused; returns how many were acknowledged, and why the last was not.
 */
async function keepUntilRefused(
  inbox: Inbox,
  from: number,
): Promise<{ kept: number; error: unknown }> {
  for (let kept = 0; ; kept++) {
    try {
      await keep(inbox, numberedEntry(from + kept));
    } catch (error) {
      return { kept, error };
    }
  }
}

it.each([
  ["the log cut to nothing", (path: string) => cutLog(path, 0)],
  [
    "the log cut in two",
    (path: string) => cutLog(path, Math.floor(statSync(`${path}-wal`).size / 2)),
  ],
  ["the log cut by a byte", (path: string) => cutLog(path, statSync(`${path}-wal`).size - 1)],
  ["the database cut to nothing", (path: string) => truncateSync(path, 0)],
])("%s: nothing is kept any more, and what is lost is told, in numbers", async (what, cut) => {
  for (const thread of [false, true]) {
    const path = inboxFile();
    const { log, lines } = keptLog();
    const inbox = thread ? threadedInbox(path, () => {}, ALWAYS) : sqliteInbox(path);
    await inbox.open({ log });
    onTestFinished(() => inbox.close());
    for (let number = 0; number < 40; number++) await keep(inbox, numberedEntry(number));
    cut(path);
    const { kept, error } = await keepUntilRefused(inbox, 40);
    expect(kept).toBe(0);
    expect(error).toMatchObject({
      code: "inbox_corrupt",
      message: expect.stringContaining("another program cut it to"),
    });
    await until(() => expect(inbox.damage).toMatchObject({ code: "inbox_corrupt" }));
    expect(lines.filter(({ level }) => level === "error")).toMatchObject([
      {
        message: expect.stringContaining("follow docs/recovery.md"),
        fields: { lastAcknowledged: 40 },
      },
    ]);
    const [{ fields } = {}] = lines.filter(({ level }) => level === "error");
    const told = what.startsWith("the log")
      ? expect.any(Number)
      : expect.stringMatching(/to be an inbox/);
    expect(fields).toMatchObject({ entriesInDatabase: told });
    await expect(keep(inbox, numberedEntry(99))).rejects.toMatchObject({ code: "inbox_corrupt" });
    await inbox.close();
    if (!what.startsWith("the log")) continue;
    // Stopping has made nothing worse: what is left of the log belongs to the database.
    for (const ending of ["", "-wal"]) copyFileSync(path + ending, `${path}-left${ending}`);
    const left = sqliteInbox(`${path}-left`);
    await left.open();
    const entries = await left.list({});
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1));
    for (const { seq } of entries)
      expect((await left.delivery(seq))?.body.byteLength).toBeGreaterThan(0);
    await left.close();
  }
});

it("a log that is emptied or cut by SQLite itself is no loss, also in another process", async () => {
  const path = inboxFile();
  const inboxes = [sqliteInbox(path), threadedInbox(path, () => {}, ALWAYS)];
  for (const inbox of inboxes) {
    await inbox.open();
    onTestFinished(() => inbox.close());
  }
  const stranger = connect(path);
  for (let number = 0; number < 60; number++) {
    for (const [index, inbox] of inboxes.entries())
      await keep(inbox, numberedEntry(2 * number + index));
    if (number % 7 === 0) stranger.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    if (number % 11 === 0)
      stranger.exec("PRAGMA journal_size_limit = 1000; PRAGMA wal_checkpoint(RESTART)");
    await sleep(1);
  }
  for (const inbox of inboxes) {
    expect(inbox.damage).toBeUndefined();
    expect(await inbox.list({})).toHaveLength(120);
  }
});

/** Empties the log again and again, each time after another commit, until it is killed. */
const EMPTY_LOG = `
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite") ?? require("@photostructure/sqlite");
  const database = new DatabaseSync(process.argv[1]);
  database.exec("PRAGMA busy_timeout = 5000; CREATE TABLE IF NOT EXISTS stranger (n)");
  console.log("ready");
  setInterval(() => {
    database.exec("INSERT INTO stranger VALUES (1); PRAGMA wal_checkpoint(PASSIVE); PRAGMA wal_checkpoint(TRUNCATE)");
  }, 5);`;

it.each([false, true])(
  "a log that another process empties all the time refuses nothing (thread: %s)",
  async (thread) => {
    const path = inboxFile();
    const inbox = thread
      ? threadedInbox(path, () => {}, { ...ALWAYS, fromOperations: 2 })
      : sqliteInbox(path);
    await inbox.open();
    onTestFinished(() => inbox.close());
    const stranger = spawn(process.execPath, ["-e", EMPTY_LOG, path], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void stranger.kill("SIGKILL"));
    await once(stranger.stdout, "data");
    const refused: unknown[] = [];
    for (let number = 0; number < 80; number++) {
      await keep(inbox, numberedEntry(number)).catch((error: unknown) => refused.push(error));
      await sleep(2);
    }
    expect(refused).toEqual([]);
  },
);
