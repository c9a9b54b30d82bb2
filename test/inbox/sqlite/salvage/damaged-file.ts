import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Inbox } from "../../../../src/inbox/inbox.ts";
import { loadSqlite } from "../../../../src/inbox/sqlite/client.ts";
import { salvageFile } from "../../../../src/inbox/sqlite/salvage/salvage.ts";
import { openFileTransfer } from "../../../../src/inbox/sqlite/transfer.ts";
import { sqliteInbox } from "../../../../src/inbox/sqlite.ts";
import type { CopyTerms } from "../../../../src/inbox/transfer/copy.ts";
import { tempFolder } from "../../../cli/fake-io.ts";
import { bytes, envelope } from "../../../receiver/sample.ts";
import { keep, numberedEntry, sampleDelivery } from "../../entries.ts";

export const PAGE = 4096;

/** The numbers from one to another. */
export function numbers(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

/** The numbers of entries. */
export const seqsOf = (list: readonly { readonly seq: number }[]) => list.map(({ seq }) => seq);

/** The body of an event with this id, `event-7`, padded to some length. */
export function bodyOf(number: number, length = 0): Buffer {
  return bytes(envelope({ id: `event-${number}`, data: { text: "x".repeat(length) } }));
}

/** Keeps the event of a number, whose key is another than its body would give. */
export function keepEvent(inbox: Inbox, number: number, length?: number) {
  return keep(
    inbox,
    numberedEntry(number, number, { delivery: sampleDelivery({ body: bodyOf(number, length) }) }),
  );
}

/** The path of an inbox file that nobody has open. */
export async function madeFile(fill: (inbox: Inbox) => Promise<unknown>): Promise<string> {
  const path = join(tempFolder(), "inbox.db");
  const inbox = sqliteInbox(path);
  await inbox.open();
  await fill(inbox);
  await inbox.close();
  return path;
}

const made = new Map<string, Promise<Buffer>>();

/** A file with some events, from number 1. It is made once for all tests of a file. */
export async function fileOf(count: number, length = 0): Promise<string> {
  const name = `${count} of ${length}`;
  const make = async () =>
    readFileSync(
      await madeFile((inbox) =>
        Promise.all(numbers(1, count).map((number) => keepEvent(inbox, number, length))),
      ),
    );
  if (!made.has(name)) made.set(name, make());
  const path = join(tempFolder(), "inbox.db");
  writeFileSync(path, (await made.get(name)) ?? "");
  return path;
}

/**
 * Runs SQL on a file without the checks of its tables, and moves all into the file itself; returns
 * the rows of a query.
 */
export function change(
  path: string,
  sql: string,
  query = "SELECT 1",
): readonly Record<string, unknown>[] {
  const database = new (loadSqlite().DatabaseSync)(path);
  try {
    database.exec(`PRAGMA ignore_check_constraints = ON; ${sql}; PRAGMA wal_checkpoint(TRUNCATE)`);
    return database.prepare(query).all() as Record<string, unknown>[];
  } finally {
    database.close();
  }
}

/** Changes the bytes of a file, as a failing disk would. */
export function damage(
  path: string,
  how: (page: (number: number) => Buffer, content: Buffer) => void,
): void {
  const content = readFileSync(path);
  how((number) => content.subarray((number - 1) * PAGE, number * PAGE), content);
  writeFileSync(path, content);
}

/** The first page of a table or an index. */
export function rootOf(path: string, name: string): number {
  const [row] = change(path, "", `SELECT rootpage FROM sqlite_schema WHERE name = '${name}'`);
  return Number(row?.rootpage);
}

/**
 * Marks a column as text, as one flipped bit would; its bytes stay. All rows have to be on the
 * first page.
 */
export function retype(path: string, table: string, seq: number, column: number): void {
  const root = rootOf(path, table);
  damage(path, (page) => {
    const cell = page(root).readUInt16BE(8 + 2 * (seq - 1));
    const isLong = (page(root)[cell] ?? 0) > 127; // the length of the row takes two bytes
    const at = cell + (isLong ? 4 : 3) + column;
    const type = page(root)[at] ?? 0;
    const size = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0][type];
    if (type > 127)
      page(root)[at + 1] = (page(root)[at + 1] ?? 0) | 1; // of more than 57 bytes
    else page(root)[at] = size === undefined ? type | 1 : 13 + 2 * size;
  });
}

/** Salvages a file into a new inbox, and opens that. */
export async function salvage(path: string, terms: CopyTerms = {}) {
  const file = join(tempFolder(), "salvaged.db");
  const to = await openFileTransfer(file, "own");
  const salvaged = await salvageFile(path, to, { source: "given", ...terms }).finally(() =>
    to.close(),
  );
  const inbox = sqliteInbox(file);
  await inbox.open();
  onTestFinished(() => inbox.close());
  if (salvaged === undefined) throw new Error("expected a salvage that was not stopped");
  return { ...salvaged, inbox, list: await inbox.list({}) };
}
