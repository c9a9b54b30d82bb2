import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { backUp } from "../../../../src/inbox/sqlite/care/backup.ts";
import {
  copiesBeside,
  eraseInCopy,
  otherInboxesBeside,
  readCopy,
} from "../../../../src/inbox/sqlite/care/copies.ts";
import { loadSqlite } from "../../../../src/inbox/sqlite/client.ts";
import { makeTables } from "../../../../src/inbox/sqlite/file/inbox-file.ts";
import { lockHolders } from "../../../../src/inbox/sqlite/processes/holders.ts";
import { sqliteInbox } from "../../../../src/inbox/sqlite.ts";
import { tempFolder } from "../../../cli/fake-io.ts";
import { AT, keep, numberedEntry, sampleDelivery } from "../../entries.ts";

let folder: string;
let path: string;

/** An inbox file without entries, and other files beside it. */
beforeEach(() => {
  folder = tempFolder();
  path = join(folder, "inbox.db");
  makeTables(path, AT);
});

const inFolder = (names: readonly string[]) => names.map((name) => join(folder, name));

function database(file: string) {
  const opened = new (loadSqlite().DatabaseSync)(file);
  onTestFinished(() => opened.close());
  return opened;
}

describe("the copies beside an inbox file", () => {
  it("are what was rescued of it, and what it was before newer tables", () => {
    const copies = ["inbox.db-rescued-20260101T000000Z", "inbox.db.schema-2", "inbox.db.schema-13"];
    const others = [
      "inbox.db.schema-",
      "inbox.db.schema-2.old",
      "inbox.db.schema-2-wal",
      "inbox.db.x.schema-2",
    ];
    for (const name of [...copies, ...others]) writeFileSync(join(folder, name), "");
    mkdirSync(join(folder, "inbox.db.schema-1"));
    expect(copiesBeside(path).toSorted()).toEqual(inFolder(copies).toSorted());
  });

  it("are not those of another inbox in the folder", () => {
    for (const name of ["other.db.schema-2", "other.db-rescued-20260101T000000Z"])
      writeFileSync(join(folder, name), "");
    expect(copiesBeside(path)).toEqual([]);
  });
});

it("the copies of an inbox are found whatever its name, even one that reads like that of a process's file", () => {
  const [named, copy] = inFolder(["card-holder-inbox.db", "card-holder-inbox.db.schema-2"]) as [
    string,
    string,
  ];
  for (const file of [named, copy]) copyFileSync(path, file);
  expect(copiesBeside(named)).toEqual([copy]);
});

describe("other inboxes in the folder", () => {
  it("are found among files of other kinds, apart from the inbox and its copies", () => {
    const copies = ["inbox.db.schema-2", "inbox.db-rescued-20260101T000000Z"];
    for (const name of ["backup", "for-walter.db", ...copies])
      copyFileSync(path, join(folder, name));
    symlinkSync(path, join(folder, "link.db"));
    mkdirSync(join(folder, "folder"));
    writeFileSync(join(folder, "notes.txt"), "notes ".repeat(1000));
    database(join(folder, "other.sqlite")).exec("CREATE TABLE other (a)");
    expect(otherInboxesBeside(path).toSorted()).toEqual(inFolder(["backup", "for-walter.db"]));
  });

  it.skipIf(process.platform !== "linux")(
    "are looked for without ending the locks of this process",
    () => {
      const writer = database(path);
      writer.exec("BEGIN IMMEDIATE");
      const holders = () => lockHolders(statSync(`${path}-shm`).ino);
      expect(holders()).toEqual([process.pid]);
      expect(otherInboxesBeside(path)).toEqual([]);
      expect(holders()).toEqual([process.pid]);
    },
  );
});

/** A backup of an inbox with two entries, whose bodies name them. */
async function twoEntries(): Promise<string> {
  const inbox = sqliteInbox(path);
  await inbox.open();
  for (const number of [1, 2]) {
    const body = Buffer.from(`the body of ${number}`);
    await keep(inbox, numberedEntry(number, number, { delivery: sampleDelivery({ body }) }));
  }
  await inbox.close();
  return backUp(path, join(folder, "copy.db")).path;
}

describe("a copy", () => {
  it("is read as an inbox is, only while it is open for that, and nothing is written beside it", async () => {
    const copy = await twoEntries();
    const before = readFileSync(copy);
    let late: Promise<unknown> | undefined;
    const read = await readCopy(copy, async (inbox) => {
      late = new Promise((resolve) =>
        setImmediate(() => resolve(inbox.list({}).then(() => "listed"))),
      );
      const [{ seq } = { seq: 0 }] = await inbox.list({ seqs: [2] });
      return [seq, Buffer.from((await inbox.delivery(seq))?.body ?? "").toString()];
    });
    expect(read).toEqual([2, "the body of 2"]);
    await expect(late).rejects.toThrow(/not open/);
    expect(["-wal", "-shm"].filter((ending) => existsSync(copy + ending))).toEqual([]);
    expect(readFileSync(copy).equals(before)).toBe(true);
  });

  it("that is no inbox is neither read nor changed, and the error names it", async () => {
    const file = join(folder, "notes.txt");
    const notes = "notes ".repeat(1000);
    writeFileSync(file, notes);
    const refusal = { code: "inbox_corrupt", message: expect.stringContaining(file) };
    await expect(readCopy(file, async (inbox) => inbox.list({}))).rejects.toMatchObject(refusal);
    expect(() => eraseInCopy(file, [1], AT)).toThrow(expect.objectContaining(refusal));
    expect(readFileSync(file, "utf8")).toBe(notes);
  });

  it("keeps nothing of an erased entry but its key, in no file, and is smaller than before", async () => {
    const copy = await twoEntries();
    const large = sampleDelivery({ body: Buffer.alloc(100_000, "z") });
    const writer = sqliteInbox(copy);
    await writer.open();
    const { seq } = await keep(writer, numberedEntry(3, 3, { delivery: large }));
    await writer.close();
    const before = statSync(copy).size;
    eraseInCopy(copy, [1, seq], AT);
    const log = existsSync(`${copy}-wal`) ? readFileSync(`${copy}-wal`) : Buffer.alloc(0);
    const bytes = Buffer.concat([readFileSync(copy), log]).toString("latin1");
    expect(["the body of 1", "zzzz", "the body of 2"].map((text) => bytes.includes(text))).toEqual([
      false,
      false,
      true,
    ]);
    expect(statSync(copy).size).toBeLessThan(before - 90_000);
    const entries = await readCopy(copy, (inbox) => inbox.list({}));
    expect(entries.map(({ key, reason }) => [key.eventId, reason])).toEqual([
      ["evt_1", "erased"],
      ["evt_2", null],
      ["evt_3", "erased"],
    ]);
  });
});
