import { hash } from "node:crypto";
import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Inbox } from "../../../src/inbox/inbox.ts";
import { loadSqlite, markAsInbox } from "../../../src/inbox/sqlite/client.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { runCli } from "../../cli/fake-io.ts";
import { keptLog } from "../../dispatch/sample.ts";
import { keep, numberedEntry } from "../entries.ts";
import { open } from "./opened.ts";

let folder: string;
let path: string;

/** The files of an inbox whose process was killed: its log holds the latest entries. */
beforeEach(async () => {
  const parent = mkdtempSync(join(tmpdir(), "hookporter-remains-"));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const live = join(parent, "live.db");
  const inbox = sqliteInbox(live);
  await inbox.open();
  await keepNumbers(inbox, 1, 40);
  await inbox.close();
  await inbox.open();
  await keepNumbers(inbox, 41, 60);
  folder = mkdtempSync(join(parent, "killed-"));
  path = join(folder, "inbox.db");
  for (const ending of ["", "-wal", "-shm"]) copyFileSync(live + ending, path + ending);
  await inbox.close();
});

async function keepNumbers(inbox: Inbox, first: number, last: number): Promise<void> {
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  await Promise.all(numbers.map((number) => keep(inbox, numberedEntry(number))));
}

function overwrite(position: number, length: number, value = 0): void {
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(length, value), 0, length, position);
  closeSync(file);
}

/** Only the database file is left, as after a clean end. */
function withoutLog(): void {
  for (const ending of ["-wal", "-shm"]) rmSync(path + ending);
}

it.each([
  ["whose process was killed", () => {}],
  ["without the index of its log", () => rmSync(`${path}-shm`)],
])("an inbox %s is opened with all its entries", async (_, prepare) => {
  prepare();
  expect(await (await open(path)).counts()).toMatchObject({ waiting: 60 });
});

/** What may happen to an inbox's file; `alone` means that its process had ended cleanly. */
const DAMAGE: readonly (readonly [string, { readonly alone: boolean }, () => void])[] = [
  ["that is empty", { alone: true }, () => writeFileSync(path, "")],
  ["that is empty, beside its log", { alone: false }, () => writeFileSync(path, "")],
  ["that vanished beside its log", { alone: false }, () => rmSync(path)],
  ["whose log was removed", { alone: false }, () => rmSync(`${path}-wal`)],
  ["of zeros", { alone: true }, () => overwrite(0, readFileSync(path).length)],
  ["of garbage", { alone: true }, () => writeFileSync(path, "garbage ".repeat(5000))],
  ["of a few bytes", { alone: true }, () => truncateSync(path, 50)],
  ["of its header alone", { alone: true }, () => truncateSync(path, 100)],
  ["of its first page alone", { alone: true }, () => truncateSync(path, 4096)],
  [
    "that was cut in half",
    { alone: true },
    () => truncateSync(path, readFileSync(path).length / 2),
  ],
  ["with a garbage header", { alone: true }, () => overwrite(0, 100, 0x5a)],
  ["with a garbage first page", { alone: true }, () => overwrite(0, 4096, 0x5a)],
  ["with zeros for its tables", { alone: true }, () => overwrite(100, 3996)],
  ["without tables", { alone: true }, () => replace(markAsInbox)],
  ["that is another program's", { alone: true }, () => replace(() => {})],
  [
    "with another program's mark",
    { alone: true },
    () => replace((database) => database.exec("PRAGMA application_id = 7")),
  ],
  [
    "of which only the header is left",
    { alone: true },
    () => overwrite(100, readFileSync(path).length, 0xa5),
  ],
];

/** Another database in its place. */
function replace(mark: (database: DatabaseSyncInstance) => void): void {
  rmSync(path);
  const database = new (loadSqlite().DatabaseSync)(path);
  mark(database);
  database.exec("PRAGMA journal_mode = WAL; VACUUM");
  database.close();
}

describe("an inbox file", () => {
  it.each(DAMAGE)(
    "%s is refused in one line that says what to do, and stays as it is",
    async (_, { alone }, damage) => {
      if (alone) withoutLog();
      damage();
      const before = contents();
      const log = keptLog();
      for (const access of ["own", "change", "read"] as const) {
        const inbox = sqliteInbox(path);
        const refusal = await inbox.open({ access, log }).then(
          () => inbox.close(),
          (thrown: unknown) => thrown as Error & { code: string },
        );
        expect(refusal).toMatchObject({
          code: expect.stringMatching(/^inbox_(?:unavailable|corrupt)$/),
        });
        expect(refusal?.message).toMatch(
          /^[^\n]*(?:docs\/recovery\.md|hookporter inbox check --inbox \S+inbox\.db)[^\n]*$/,
        );
      }
      expect(log.lines).toEqual([]);
      expect(contents()).toEqual(before);
    },
  );

  it.each(DAMAGE)("%s is refused by `listen` with exit code 3", async (_, { alone }, damage) => {
    if (alone) withoutLog();
    damage();
    const env = { HOOKPORTER_SECRET: "a secret that is long enough" };
    const run = await runCli(["listen", "--port", "0", "--inbox", path], { env });
    expect(run).toMatchObject({ code: 3, stdout: "" });
    expect(run.stderr).toMatch(
      /^error: [^\n]*(?:docs\/recovery\.md|hookporter inbox check --inbox \S+inbox\.db`)[^\n]*\n$/m,
    );
  });
});

/** The files of the inbox, without the index of its log, which any opener may write to. */
function contents(): Record<string, string> {
  const names = readdirSync(folder).filter(
    (name) => !name.endsWith("-shm") && !name.endsWith("-wal"),
  );
  return Object.fromEntries(
    names.map((name) => [name, hash("sha256", readFileSync(join(folder, name)))]),
  );
}
