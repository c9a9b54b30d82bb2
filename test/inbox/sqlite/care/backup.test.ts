import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { backUp } from "../../../../src/inbox/sqlite/care/backup.ts";
import { loadSqlite } from "../../../../src/inbox/sqlite/client.ts";
import { makeTables } from "../../../../src/inbox/sqlite/file/inbox-file.ts";
import { runnerLock } from "../../../../src/inbox/sqlite/processes/runner-lock.ts";
import { sqliteInbox } from "../../../../src/inbox/sqlite.ts";
import { tempFolder } from "../../../cli/fake-io.ts";
import { AT, keep, numberedEntry } from "../../entries.ts";

let folder: string;
let path: string;
let target: string;

beforeEach(() => {
  folder = tempFolder();
  path = join(folder, "inbox.db");
  target = join(folder, "backup.db");
  makeTables(path, AT);
});

function change(sql: string): void {
  const database = new (loadSqlite().DatabaseSync)(path);
  onTestFinished(() => database.close());
  database.exec(sql);
}

const usage = (message: RegExp) =>
  expect.objectContaining({ code: "usage", message: expect.stringMatching(message) });

describe("a backup", () => {
  it("of an inbox without entries says that there are none", () => {
    expect(backUp(path, target)).toMatchObject({
      path: target,
      bytes: statSync(target).size,
      last: 0,
      unreadable: [],
      counts: { waiting: 0, running: 0, handled: 0, dead: 0, received: 0 },
    });
  });

  it("has what is in the log too, and says how many entries there are, up to which number", async () => {
    const inbox = sqliteInbox(path);
    await inbox.open();
    for (const number of [1, 2]) await keep(inbox, numberedEntry(number));
    change("UPDATE entry SET seq = 7 WHERE seq = 2");
    expect(backUp(path, target)).toMatchObject({
      counts: { waiting: 2 },
      last: 7,
      unreadable: [7],
    });
    await inbox.close();
  });

  it("that is not intact gets no name, and the error has what SQLite found", () => {
    const database = new (loadSqlite().DatabaseSync)(path);
    database.exec(`INSERT INTO entry (seq, key_timestamp, event_id, source, kind, state, received_at, run_at, last_seen_at,
      body_hash, body_length) VALUES (1, 1, 'e', 's', 'kkkk', 'handled', 1, 1, 1, '', 0)`);
    database.close();
    const bytes = readFileSync(path);
    // of the row's columns; 21 is a text of 4 bytes, 27 one of 7
    const types = bytes.indexOf(Buffer.from([0, 9, 15, 15, 21, 0, 27]));
    bytes[types + 4] = 20; // other bytes than a text, which SQLite copies as they are
    writeFileSync(path, bytes);
    expect(() => backUp(path, target)).toThrow(
      expect.objectContaining({
        code: "inbox_unavailable",
        message: expect.stringMatching(
          /inbox\.db to be intact, got "non-TEXT value in entry\.kind"/,
        ),
      }),
    );
    expect(readdirSync(folder).filter((name) => name.startsWith("backup"))).toEqual([]);
  });

  it("is told by its real path if its folder is a link", () => {
    symlinkSync(folder, join(folder, "link"));
    expect(backUp(path, join(folder, "link", "backup.db")).path).toBe(target);
  });

  it("removes what a backup left that was killed long ago", () => {
    const left = `${target}-new-0123456789ab`;
    const other = `${target}-new-office`; // an inbox of its own
    for (const file of [left, other]) {
      copyFileSync(path, file);
      utimesSync(file, 1000, 1000);
    }
    backUp(path, target);
    expect([left, other].filter((file) => existsSync(file))).toEqual([other]);
  });
});

describe("a backup is not written", () => {
  it.each([
    "inbox.db",
    "link.db",
    "inbox.db-wal",
    "inbox.db-shm",
    "inbox.db-journal",
    "inbox.db-holder-0a",
  ])("in the place of %s, which is the inbox's own, not even if it may replace a file", (name) => {
    symlinkSync(path, join(folder, "link.db"));
    const own = usage(/a file of the inbox itself: name another file/);
    expect(() => backUp(path, join(folder, name), { replace: true })).toThrow(own);
  });

  it("in the place of another inbox that is in use or has a log", () => {
    const { release } = runnerLock(target, "0a");
    const inUse = usage(/backup\.db, which a receiver or its log is beside: name another file/);
    expect(() => backUp(path, target, { replace: true })).toThrow(inUse);
    release();
    writeFileSync(`${target}-wal`, "");
    backUp(path, target);
    writeFileSync(`${target}-wal`, "log");
    expect(() => backUp(path, target, { replace: true })).toThrow(inUse);
  });

  it("over a file, unless it may replace one, and never over a folder", () => {
    writeFileSync(target, "earlier");
    const taken = usage(/no file at \S+backup\.db, got one: name another file, or pass --force/);
    expect(() => backUp(path, target)).toThrow(taken);
    expect(readFileSync(target, "utf8")).toBe("earlier");
    expect(backUp(path, target, { replace: true }).bytes).toBe(statSync(target).size);
    mkdirSync(join(folder, "folder"));
    expect(() => backUp(path, join(folder, "folder"), { replace: true })).toThrow(
      usage(/folder, got one/),
    );
  });

  it("over a link that leads nowhere", () => {
    symlinkSync(join(folder, "nowhere"), target);
    expect(() => backUp(path, target)).toThrow(usage(/no file at \S+backup\.db/));
    expect(lstatSync(target).isSymbolicLink()).toBe(true);
  });

  it.each(["inbox.db-wallet", "inbox.db-of-wal"])(
    "elsewhere, but %s is a name like any other",
    (name) => {
      expect(basename(backUp(path, join(folder, name)).path)).toBe(name);
    },
  );
});
