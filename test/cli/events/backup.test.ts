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
import { expect, it, onTestFinished } from "vitest";
import { makeTables } from "../../../src/inbox/sqlite/file/inbox-file.ts";
import { runnerLock } from "../../../src/inbox/sqlite/processes/runner-lock.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { AT, keep, numberedEntry } from "../../inbox/entries.ts";
import { changeFile } from "../../inbox/sqlite/changed-file.ts";
import { contentOf } from "../../inbox/transfer/every-state.ts";
import { runCli, tempFolder } from "../fake-io.ts";
import { filledFolder, inboxFolder } from "../inbox-folder.ts";
import { listening } from "../open-listen.ts";

/** Backs up the inbox of a folder, and says what it holds beside it. */
function backingUp(cwd = tempFolder()) {
  const backUp = (...argv: string[]) =>
    runCli(["events", "backup", ...argv, "--inbox", "a.db", "--json"], { cwd });
  // Readers leave an inbox's log, for the next writer.
  const others = () => readdirSync(cwd).filter((name) => !/^a\.db(?:-wal|-shm)?$/.test(name));
  return { cwd, backUp, others, at: (name: string) => join(cwd, name) };
}

/** The same, of an inbox that has entries of every state. */
async function filled() {
  const { cwd, content } = await filledFolder();
  return { ...backingUp(cwd), content };
}

const USAGE = { code: 2, records: [{ code: "usage" }] };
const UNUSABLE = { code: 3, records: [{ code: "folder_unusable" }] };
const WHOLE = { code: 0, records: [{ entries: 9 }] };

it("a backup has everything, in a file of its owner's, says how much that is, and leaves nothing else", async () => {
  const { cwd, content, others, at } = await filled();
  const run = await runCli(["events", "backup", "b.db", "--inbox", "a.db"], { cwd });
  expect(run).toMatchObject({ code: 0, stderr: "" });
  expect(run.stdout).toMatch(/b\.db: 9 entries \(.*2 dead.*\), \d+ bytes, checked\n$/);
  expect(others()).toEqual(["b.db"]);
  expect(statSync(at("b.db")).mode & 0o777).toBe(0o600);
  const copy = sqliteInbox(at("b.db"));
  await copy.open();
  expect(await contentOf(copy)).toEqual(content);
  expect(await keep(copy, numberedEntry(500))).toMatchObject({ duplicate: false });
  await copy.close();
});

it("a backup contains what is still in the log of an inbox in use, or no entries if there are none", async () => {
  const { inbox, cwd } = await inboxFolder("a.db");
  for (const number of [1, 2, 3]) await keep(inbox, numberedEntry(number));
  const inUse = await backingUp(cwd).backUp("b.db");
  expect(inUse.records).toMatchObject([{ type: "backup", entries: 3, last: 3, unreadable: [] }]);
  const { backUp, at } = backingUp();
  makeTables(at("a.db"), AT);
  const { records } = await backUp("b.db");
  expect(records).toMatchObject([{ entries: 0, last: 0, bytes: statSync(at("b.db")).size }]);
});

it("a backup is told by its real path if its folder is a link", async () => {
  const { cwd, backUp, at } = await filled();
  symlinkSync(cwd, at("link"));
  expect((await backUp("link/b.db")).records).toMatchObject([{ file: at("b.db") }]);
});

it("what a backup left that was killed long ago is removed", async () => {
  const { backUp, at, others } = await filled();
  const other = "b.db-new-office";
  for (const name of ["b.db-new-0123456789ab", other]) {
    copyFileSync(at("a.db"), at(name));
    utimesSync(at(name), 1000, 1000);
  }
  await backUp("b.db");
  expect(others()).toEqual(["b.db", other]);
});

it("an earlier backup is replaced only with --force", async () => {
  const { backUp, at } = await filled();
  writeFileSync(at("b.db"), "earlier");
  expect(await backUp("b.db")).toMatchObject(USAGE);
  expect(readFileSync(at("b.db"), "utf8")).toBe("earlier");
  expect(await backUp("b.db", "--force")).toMatchObject(WHOLE);
  expect(statSync(at("b.db")).mode & 0o777).toBe(0o600);
});

it.each(["a.db-wallet", "a.db-of-wal", "it's.db", "logless.db"])(
  "a backup may be named %s",
  async (name) => {
    const { backUp, at } = await filled();
    writeFileSync(at("logless.db-wal"), "");
    expect(await backUp(name)).toMatchObject(WHOLE);
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
])("a file that belongs to an inbox is never replaced: %s", async (target) => {
  const { cwd, backUp, at } = await filled();
  symlinkSync("a.db", at("link.db"));
  if (target === "used.db") await listening(["--inbox", "used.db"], cwd);
  if (target === "held.db") onTestFinished(runnerLock(at(target), "0a").release);
  if (target === "logged.db") writeFileSync(at("logged.db-wal"), "committed");
  const before = readdirSync(cwd).sort();
  expect(await backUp(target, "--force")).toMatchObject(USAGE);
  expect(readdirSync(cwd).sort()).toEqual(before);
});

it("a missing folder, a folder, a broken link and an inbox that is not there are refused", async () => {
  const { cwd, backUp, at, others } = await filled();
  mkdirSync(at("folder"));
  expect(await backUp("none/b.db")).toMatchObject(UNUSABLE);
  expect(await backUp("folder", "--force")).toMatchObject(USAGE);
  symlinkSync(at("nowhere"), at("broken"));
  expect(await backUp("broken")).toMatchObject(USAGE);
  expect(lstatSync(at("broken")).isSymbolicLink()).toBe(true);
  const none = await runCli(["events", "backup", "b.db", "--inbox", "none.db", "--json"], { cwd });
  expect(none).toMatchObject({ code: 3, records: [{ code: "inbox_unavailable" }] });
  expect(others()).toEqual(["broken", "folder"]);
});

it.skipIf(process.getuid?.() === 0)("a folder that is not writable is refused", async () => {
  const { backUp, at } = await filled();
  mkdirSync(at("locked"));
  chmodSync(at("locked"), 0o500);
  expect(await backUp("locked/b.db")).toMatchObject(UNUSABLE);
});

it("of a damaged inbox there is no backup", async () => {
  const { backUp, at, others } = await filled();
  const bytes = readFileSync(at("a.db"));
  bytes.fill(0x5a, 4096 * 2, 4096 * 3);
  writeFileSync(at("a.db"), bytes);
  const run = await backUp("b.db");
  expect(run).toMatchObject({ code: 3, records: [{ code: "inbox_corrupt" }] });
  expect(run.said).toMatch(/hookporter inbox check --inbox \S+a\.db`/);
  expect(others()).toEqual([]);
});

it("of an inbox with a text that is none there is no backup, and it is said which", async () => {
  const { backUp, at, others } = await filled();
  changeFile(
    at("a.db"),
    `INSERT INTO entry (seq, key_timestamp, event_id, source, kind, state, received_at, run_at, last_seen_at,
      body_hash, body_length) VALUES (900, 1, 'e', 's', 'kkkk', 'handled', 1, 1, 1, '', 0);
      PRAGMA wal_checkpoint(TRUNCATE)`,
  );
  const bytes = readFileSync(at("a.db"));
  // of the row's columns; 21 is a text of 4 bytes, 27 one of 7
  const types = bytes.indexOf(Buffer.from([15, 15, 21, 0, 27]));
  bytes[types + 2] = 20; // other bytes than a text, which SQLite copies as they are
  writeFileSync(at("a.db"), bytes);
  const { records, said } = await backUp("b.db");
  expect(records).toMatchObject([{ code: "inbox_unavailable" }]);
  expect(said).toContain('a.db to be intact, got "non-TEXT value in entry.kind"');
  expect(others()).toEqual([]);
});

it("a backup ends with 1 if the delivery of an entry is not what was received, and is there all the same", async () => {
  const { backUp, at } = await filled();
  const sql = "UPDATE delivery SET body = x'00' WHERE seq = (SELECT min(seq) FROM delivery)";
  changeFile(at("a.db"), sql);
  const run = await backUp("b.db");
  const record = { entries: 9, unreadable: [expect.any(Number)] };
  expect(run).toMatchObject({ code: 1, records: [record] });
  expect(run.stderr).toMatch(/#\d+ cannot be read/);
  expect(existsSync(at("b.db"))).toBe(true);
});

it("for an inbox on PostgreSQL the command is printed, without the password", async () => {
  const url = "postgres://app:canary@db.test:5433/app?schema=hooks&sslmode=require";
  const argv = ["events", "backup", "it's.dump", "--json"];
  const run = await runCli(argv, { env: { HOOKPORTER_INBOX: url } });
  expect(run).toMatchObject({ code: 3, records: [{ code: "inbox_unsupported" }] });
  expect(run.said).toContain(
    "pg_dump --schema hooks --format custom --file 'it'\\''s.dump' 'postgres://app@db.test:5433/app?sslmode=require'",
  );
  expect(run.stdout + run.stderr).not.toContain("canary");
});
