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
import { beforeEach, describe, expect, it } from "vitest";
import { backUp } from "../../../../src/inbox/sqlite/care/backup.ts";
import {
  copiesBeside,
  eraseInCopy,
  otherInboxesBeside,
  readCopy,
} from "../../../../src/inbox/sqlite/care/copies.ts";
import { makeTables } from "../../../../src/inbox/sqlite/file/inbox-file.ts";
import { lockHolders } from "../../../../src/inbox/sqlite/processes/holders.ts";
import { tempFolder } from "../../../cli/fake-io.ts";
import { AT, keep, numberedEntry, sampleDelivery } from "../../entries.ts";
import { connect } from "../changed-file.ts";
import { using } from "../opened.ts";

let folder: string;
let path: string;

/** An inbox file without entries, and other files beside it. */
beforeEach(() => {
  folder = tempFolder();
  path = join(folder, "inbox.db");
  makeTables(path, AT);
});

const inFolder = (names: readonly string[]) => names.map((name) => join(folder, name));

describe("the copies beside an inbox file", () => {
  it("are what was rescued of it, and what it was before newer tables", () => {
    const copies = ["inbox.db-rescued-20260101T000000Z", "inbox.db.schema-2", "inbox.db.schema-13"];
    const others = [
      "inbox.db.schema-",
      "inbox.db.schema-2.old",
      "inbox.db.schema-2-wal",
      "inbox.db.x.schema-2",
      "other.db.schema-2",
      "other.db-rescued-20260101T000000Z",
    ];
    for (const name of [...copies, ...others]) writeFileSync(join(folder, name), "");
    mkdirSync(join(folder, "inbox.db.schema-1"));
    expect(copiesBeside(path).toSorted()).toEqual(inFolder(copies).toSorted());
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
    connect(join(folder, "other.sqlite")).exec("CREATE TABLE other (a)");
    expect(otherInboxesBeside(path).toSorted()).toEqual(inFolder(["backup", "for-walter.db"]));
  });

  it.skipIf(process.platform !== "linux")(
    "are looked for without ending the locks of this process",
    () => {
      const writer = connect(path);
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
  await using(path, async (inbox) => {
    for (const number of [1, 2]) {
      const body = Buffer.from(`the body of ${number}`);
      await keep(inbox, numberedEntry(number, number, { delivery: sampleDelivery({ body }) }));
    }
  });
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
});
