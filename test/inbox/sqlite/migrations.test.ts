import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Inbox } from "../../../src/inbox/inbox.ts";
import { COPIED } from "../../../src/inbox/sqlite/file/copy-before.ts";
import { openFile } from "../../../src/inbox/sqlite/file/inbox-file.ts";
import { MIGRATIONS, migrate } from "../../../src/inbox/sqlite/migrations.ts";
import { runnerLock } from "../../../src/inbox/sqlite/processes/runner-lock.ts";
import { defaultThreading } from "../../../src/inbox/sqlite/thread/threaded-writer.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { tempFolder } from "../../cli/fake-io.ts";
import { keptLog } from "../../receiver/sample.ts";
import { claimOne, keep, numberedEntry, settlementOf } from "../entries.ts";
import { contentOf, fillEveryState } from "../transfer/every-state.ts";
import { rowsOf } from "./changed-file.ts";
import { change } from "./salvage/damaged-file.ts";

/** What a later release may add. */
const SECOND = "ALTER TABLE runner ADD COLUMN place TEXT; CREATE TABLE later (name TEXT) STRICT";
const NEWER = [...MIGRATIONS, SECOND];

let path: string;

beforeEach(() => {
  path = join(tempFolder(), "inbox.db");
});

/** Opens the inbox as its owner; it is closed with the test. */
async function open(migrations?: readonly string[]) {
  const { log, lines } = keptLog();
  const inbox = sqliteInbox(path, defaultThreading(), migrations);
  await inbox.open({ log });
  onTestFinished(() => inbox.close());
  return { inbox, lines };
}

/** Makes an inbox of the first schema, and closes it. */
async function made(fill: (inbox: Inbox) => Promise<unknown> = async () => {}): Promise<void> {
  const { inbox } = await open();
  await fill(inbox);
  await inbox.close();
}

const versionOf = (at = path) =>
  rowsOf(at, "SELECT max(version) AS version FROM migration")[0]?.version;

describe("an inbox file of the first schema, opened by a program with a second one", () => {
  it("has all its entries, runs and deliveries afterwards, which are claimed and settled", async () => {
    const { inbox: before } = await open();
    await fillEveryState(before);
    const content = await contentOf(before);
    await before.close();
    const { inbox } = await open(NEWER);
    expect(versionOf()).toBe(2);
    expect(await contentOf(inbox)).toEqual(content);
    const { seq } = await keep(inbox, numberedEntry(10));
    const claimed = await inbox.claim({ now: Date.now(), limit: 10, leaseTime: 1000 });
    expect(claimed.map((entry) => entry.seq)).toContain(seq);
    for (const entry of claimed)
      expect(await inbox.settle(settlementOf(entry), Date.now())).toBe(true);
  });

  it("is copied beforehand, and the log says how to go back", async () => {
    await made((inbox) => keep(inbox, numberedEntry(1)));
    const copy = `${path}.schema-1`;
    const { inbox, lines } = await open(NEWER);
    expect(lines).toMatchObject([
      {
        level: "warn",
        message: expect.stringContaining(
          "to go back, stop this version and put the copy in its place",
        ),
        fields: { inbox: path, from: 1, schema: 2, copy },
      },
    ]);
    expect([versionOf(copy), versionOf()]).toEqual([1, 2]);
    const { mtimeMs } = statSync(copy);
    await inbox.close();
    const { inbox: again } = await open(NEWER);
    expect(statSync(copy).mtimeMs).toBe(mtimeMs);
    await again.close();

    for (const ending of ["", "-wal", "-shm"]) rmSync(path + ending, { force: true });
    renameSync(copy, path);
    const { inbox: back } = await open();
    expect(await claimOne(back)).toMatchObject({ seq: 1 });
  });

  it("is not copied if it is large, or the disk has no room, which the log says", async () => {
    await made();
    mkdirSync(`${path}.schema-1`); // where no file can be made
    const { inbox, lines } = await open(NEWER);
    expect(lines[0]?.message).toContain("no copy was made");
    expect(versionOf()).toBe(2);
    await inbox.close();

    path = join(tempFolder(), "large.db");
    await made();
    change(
      path,
      `CREATE TABLE filler (bytes BLOB); INSERT INTO filler VALUES (zeroblob(${COPIED + 1}))`,
    );
    expect((await open(NEWER)).lines[0]?.message).toContain("no copy was made");
    expect([existsSync(`${path}.schema-1`), versionOf()]).toEqual([false, 2]);
  });

  it.each(["read", "change"] as const)(
    "is refused and left as it is if it opens it to %s",
    async (access) => {
      await made();
      const inbox = sqliteInbox(path, defaultThreading(), NEWER);
      await expect(inbox.open({ access })).rejects.toMatchObject({ code: "inbox_older" });
      expect(versionOf()).toBe(1);
    },
  );

  it("is refused and left as it is while a process of the older version has it open, which goes on", async () => {
    const { inbox: older } = await open();
    const { release } = runnerLock(path, "0a");
    await expect(open(NEWER)).rejects.toMatchObject({
      code: "inbox_busy",
      message: expect.stringMatching(
        /a receiver of another version has it open: stop that receiver first/,
      ),
    });
    expect(versionOf()).toBe(1);
    await keep(older, numberedEntry(1));
    expect(await older.settle(settlementOf(await claimOne(older)), Date.now())).toBe(true);
    await older.close();
    release();
    await open(NEWER);
    expect(versionOf()).toBe(2);
  });

  it("is migrated once if two processes do so at the same time", async () => {
    await made();
    const { database } = openFile(path, "own");
    onTestFinished(() => database.close());
    const copies: number[] = [];
    // the other process is quicker
    const refuse = () => openFile(path, "own", NEWER).database.close();
    migrate(database, path, { refuse, before: (version) => copies.push(version) }, NEWER);
    expect([copies, versionOf()]).toEqual([[], 2]);
  });

  it("keeps the first schema and its entries if the migration fails, and is migrated later", async () => {
    await made((inbox) => keep(inbox, numberedEntry(1)));
    await expect(open([...MIGRATIONS, `${SECOND}; SELECT nothing`])).rejects.toMatchObject({
      code: "inbox_unavailable",
    });
    expect(versionOf()).toBe(1);
    const { inbox } = await open();
    expect(await claimOne(inbox)).toMatchObject({ seq: 1 });
    await inbox.close();
    await open(NEWER);
    expect(versionOf()).toBe(2);
  });

  it("keeps the first schema and its entries if the process is killed meanwhile", {
    timeout: 60_000,
  }, async () => {
    await made((inbox) => keep(inbox, numberedEntry(1)));
    const endless =
      "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    const script = join(import.meta.dirname, "..", "children", "migrates.ts");
    const child = spawn(
      process.execPath,
      ["--import", "jiti/register", script, path, `${SECOND}; ${endless}`],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child.stdout, "data"); // it has begun
    await new Promise((resolve) => setTimeout(resolve, 300));
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    expect(await exited).toEqual([null, "SIGKILL"]);
    expect(versionOf()).toBe(1);
    const { inbox } = await open();
    expect(await claimOne(inbox)).toMatchObject({ seq: 1 });
  });
});

it("a program refuses an inbox file of a newer version, whatever it opens it for, and says what to do", async () => {
  const { inbox } = await open(NEWER);
  await keep(inbox, numberedEntry(1));
  await inbox.close();
  for (const access of ["own", "change", "read"] as const) {
    await expect(sqliteInbox(path).open({ access })).rejects.toMatchObject({
      code: "inbox_newer",
      message: `expected schema 1 or older in ${path}, got 2: update hookporter, or choose another path`,
    });
  }
  expect(versionOf()).toBe(2);
});
