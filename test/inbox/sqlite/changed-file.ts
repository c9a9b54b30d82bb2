import { readFileSync, writeFileSync } from "node:fs";
import { onTestFinished } from "vitest";
import { loadSqlite } from "../../../src/inbox/sqlite/client.ts";

const PAGE = 4096;

/** Another program's connection to an inbox file, which stays open until the test ends. */
export function connect(path: string) {
  const database = new (loadSqlite().DatabaseSync)(path);
  onTestFinished(() => void (database.isOpen && database.close()));
  return database;
}

/** Changes an inbox file as another program does, and closes it again. */
export function changeFile(path: string, sql: string): void {
  const database = new (loadSqlite().DatabaseSync)(path);
  database.exec(sql);
  database.close();
}

/**
 * Overwrites the first page of a table or index, or the page that has a text, while nobody has the
 * file open.
 */
export function overwrite(
  path: string,
  what: { readonly table: string } | { readonly text: string },
): void {
  const bytes = readFileSync(path);
  const start = "text" in what ? bytes.indexOf(what.text) : (rootPage(path, what.table) - 1) * PAGE;
  const page = Math.floor(start / PAGE) * PAGE;
  writeFileSync(path, bytes.fill(0x5a, page, page + PAGE));
}

export function rootPage(path: string, table: string): number {
  const [row] = rowsOf(path, `SELECT rootpage FROM sqlite_schema WHERE name = '${table}'`);
  return Number(row?.rootpage);
}

/** Reads an inbox file as another program does, and closes it again. */
export function rowsOf(path: string, sql: string): readonly Record<string, unknown>[] {
  const database = new (loadSqlite().DatabaseSync)(path, { readOnly: true });
  try {
    return database
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    database.close();
  }
}
