import {
  chmodSync,
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
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeTables } from "../../../src/inbox/sqlite/file/inbox-file.ts";
import { runnerLock } from "../../../src/inbox/sqlite/processes/runner-lock.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { AT, keep, numberedEntry } from "../../inbox/entries.ts";
import { changeFile } from "../../inbox/sqlite/changed-file.ts";
import { contentOf, fillEveryState } from "../../inbox/transfer/every-state.ts";
import { runCli, tempFolder } from "../fake-io.ts";
import { listening } from "../open-listen.ts";

/** A folder with an inbox that has entries of every state. */
async function filled() {
  const cwd = tempFolder();
  const inbox = sqliteInbox(join(cwd, "a.db"));
  await inbox.open();
  await fillEveryState(inbox);
  const content = await contentOf(inbox);
  await inbox.close();
  return { cwd, content };
}

/** Readers leave an inbox's log, for the next writer. */
const isOther = (name: string) => !/^a\.db(?:-wal|-shm)?$/.test(name);

const backUp = (cwd: string, ...argv: string[]) =>
  runCli(["events", "backup", ...argv, "--inbox", "a.db", "--json"], { cwd });

describe("`events backup`", () => {
  it("writes everything to a file of its owner's, says how much that is, and leaves nothing else", async () => {
    const { cwd, content } = await filled();
    const run = await runCli(["events", "backup", "b.db", "--inbox", "a.db"], { cwd });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toMatch(/b\.db: 9 entries \(.*2 dead.*\), \d+ bytes, checked\n$/);
    expect(readdirSync(cwd).filter(isOther)).toEqual(["b.db"]);
    expect(statSync(join(cwd, "b.db")).mode & 0o777).toBe(0o600);
    const copy = sqliteInbox(join(cwd, "b.db"));
    await copy.open();
    expect(await contentOf(copy)).toEqual(content);
    expect(await keep(copy, numberedEntry(500))).toMatchObject({ duplicate: false });
    await copy.close();
  });

  it("contains what is still in the log of an inbox in use", async () => {
    const cwd = tempFolder();
    const inbox = sqliteInbox(join(cwd, "a.db"));
    await inbox.open();
    for (const number of [1, 2, 3]) await keep(inbox, numberedEntry(number));
    const { records } = await backUp(cwd, "b.db");
    await inbox.close();
    expect(records).toMatchObject([{ type: "backup", entries: 3, last: 3, unreadable: [] }]);
  });

  it("of an inbox without entries says that there are none", async () => {
    const cwd = tempFolder();
    makeTables(join(cwd, "a.db"), AT);
    const { records } = await backUp(cwd, "b.db");
    expect(records).toMatchObject([
      { entries: 0, last: 0, bytes: statSync(join(cwd, "b.db")).size },
    ]);
  });

  it("is told by its real path if its folder is a link", async () => {
    const { cwd } = await filled();
    symlinkSync(cwd, join(cwd, "link"));
    expect(await backUp(cwd, "link/b.db")).toMatchObject({
      records: [{ file: join(cwd, "b.db") }],
    });
  });

  it("removes what a backup left that was killed long ago", async () => {
    const { cwd } = await filled();
    const [left, other] = ["b.db-new-0123456789ab", "b.db-new-office"] as const;
    for (const name of [left, other]) {
      copyFileSync(join(cwd, "a.db"), join(cwd, name));
      utimesSync(join(cwd, name), 1000, 1000);
    }
    await backUp(cwd, "b.db");
    expect(readdirSync(cwd).filter(isOther)).toEqual(["b.db", other]);
  });

  it("replaces an earlier backup only with --force", async () => {
    const { cwd } = await filled();
    writeFileSync(join(cwd, "b.db"), "earlier");
    expect(await backUp(cwd, "b.db")).toMatchObject({ code: 2, records: [{ code: "usage" }] });
    expect(readFileSync(join(cwd, "b.db"), "utf8")).toBe("earlier");
    expect(await backUp(cwd, "b.db", "--force")).toMatchObject({
      code: 0,
      records: [{ entries: 9 }],
    });
    expect(statSync(join(cwd, "b.db")).mode & 0o777).toBe(0o600);
  });

  it.each(["a.db-wallet", "a.db-of-wal", "it's.db", "logless.db"])(
    "may be named %s",
    async (name) => {
      const { cwd } = await filled();
      writeFileSync(join(cwd, "logless.db-wal"), "");
      expect(await backUp(cwd, name)).toMatchObject({ code: 0, records: [{ entries: 9 }] });
    },
  );

  it.each([
    "a.db",
    "./a.db",
    "link.db",
    "a.db-wal",
    "a.db-shm",
    "a.db-journal",
    "a.db-holder-0a",
    "used.db",
    "held.db",
    "logged.db",
  ])("never replaces a file that belongs to an inbox: %s", async (target) => {
    const { cwd } = await filled();
    symlinkSync("a.db", join(cwd, "link.db"));
    if (target === "used.db") await listening(["--inbox", "used.db"], cwd);
    if (target === "held.db") onTestFinished(runnerLock(join(cwd, target), "0a").release);
    if (target === "logged.db") writeFileSync(join(cwd, "logged.db-wal"), "committed");
    const before = readdirSync(cwd).sort();
    expect(await backUp(cwd, target, "--force")).toMatchObject({
      code: 2,
      records: [{ code: "usage" }],
    });
    expect(readdirSync(cwd).sort()).toEqual(before);
  });

  it("refuses a missing folder, a folder, and an inbox that is not there", async () => {
    const { cwd } = await filled();
    mkdirSync(join(cwd, "folder"));
    expect(await backUp(cwd, "none/b.db")).toMatchObject({
      code: 3,
      records: [{ code: "folder_unusable" }],
    });
    expect(await backUp(cwd, "folder", "--force")).toMatchObject({
      code: 2,
      records: [{ code: "usage" }],
    });
    symlinkSync(join(cwd, "nowhere"), join(cwd, "broken"));
    expect(await backUp(cwd, "broken")).toMatchObject({ code: 2, records: [{ code: "usage" }] });
    expect(lstatSync(join(cwd, "broken")).isSymbolicLink()).toBe(true);
    const none = await runCli(["events", "backup", "b.db", "--inbox", "none.db", "--json"], {
      cwd,
    });
    expect(none).toMatchObject({ code: 3, records: [{ code: "inbox_unavailable" }] });
    expect(readdirSync(cwd).filter(isOther)).toEqual(["broken", "folder"]);
  });

  it.skipIf(process.getuid?.() === 0)(
    "says whose folder it is if that is not writable",
    async () => {
      const { cwd } = await filled();
      mkdirSync(join(cwd, "locked"));
      chmodSync(join(cwd, "locked"), 0o500);
      expect(await backUp(cwd, "locked/b.db")).toMatchObject({
        code: 3,
        records: [{ code: "folder_unusable" }],
      });
    },
  );

  it("leaves no file if the inbox is damaged", async () => {
    const { cwd } = await filled();
    const bytes = readFileSync(join(cwd, "a.db"));
    bytes.fill(0x5a, 4096 * 2, 4096 * 3);
    writeFileSync(join(cwd, "a.db"), bytes);
    const run = await backUp(cwd, "b.db");
    expect(run).toMatchObject({ code: 3, records: [{ code: "inbox_corrupt" }] });
    expect(run.said).toMatch(/hookporter inbox check --inbox \S+a\.db`/);
    expect(existsSync(join(cwd, "b.db"))).toBe(false);
    expect(readdirSync(cwd).filter((name) => name.includes("-new-"))).toEqual([]);
  });

  it("leaves no file if a text in the inbox is none, and says which", async () => {
    const { cwd } = await filled();
    const path = join(cwd, "a.db");
    changeFile(
      path,
      `INSERT INTO entry (seq, key_timestamp, event_id, source, kind, state, received_at, run_at, last_seen_at,
      body_hash, body_length) VALUES (900, 1, 'e', 's', 'kkkk', 'handled', 1, 1, 1, '', 0);
      PRAGMA wal_checkpoint(TRUNCATE)`,
    );
    const bytes = readFileSync(path);
    // of the row's columns; 21 is a text of 4 bytes, 27 one of 7
    const types = bytes.indexOf(Buffer.from([15, 15, 21, 0, 27]));
    bytes[types + 2] = 20; // other bytes than a text, which SQLite copies as they are
    writeFileSync(path, bytes);
    const { records, said } = await backUp(cwd, "b.db");
    expect(records).toMatchObject([{ code: "inbox_unavailable" }]);
    expect(said).toContain('a.db to be intact, got "non-TEXT value in entry.kind"');
    expect(readdirSync(cwd).filter(isOther)).toEqual([]);
  });

  it("exits with 1 if the delivery of an entry is not what was received, and is there all the same", async () => {
    const { cwd } = await filled();
    changeFile(
      join(cwd, "a.db"),
      "UPDATE delivery SET body = x'00' WHERE seq = (SELECT min(seq) FROM delivery)",
    );
    const run = await backUp(cwd, "b.db");
    expect(run).toMatchObject({
      code: 1,
      records: [{ entries: 9, unreadable: [expect.any(Number)] }],
    });
    expect(run.stderr).toMatch(/#\d+ cannot be read/);
    expect(existsSync(join(cwd, "b.db"))).toBe(true);
  });

  it("prints the command for an inbox on PostgreSQL, without the password", async () => {
    const env = {
      HOOKPORTER_INBOX: "postgres://app:canary@db.test:5433/app?schema=hooks&sslmode=require",
    };
    const run = await runCli(["events", "backup", "it's.dump", "--json"], { env });
    expect(run).toMatchObject({ code: 3, records: [{ code: "inbox_unsupported" }] });
    expect(run.said).toContain(
      "pg_dump --schema hooks --format custom --file 'it'\\''s.dump' 'postgres://app@db.test:5433/app?sslmode=require'",
    );
    expect(run.stdout + run.stderr).not.toContain("canary");
  });
});
