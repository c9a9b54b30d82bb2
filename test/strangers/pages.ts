import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { loadSqlite } from "../../src/inbox/sqlite/client.ts";

/** Bytes per page of an inbox file. */
export const PAGE = 4096;

/** A page of an inbox file. */
export interface Position {
  /** The table or index it belongs to, or the free list or pointer map. */
  readonly tree: string;
  /** Such as `leaf 2 of 3`. */
  readonly place: string;
  /** From 1. */
  readonly page: number;
  /** Bytes at the start of the page that are not damaged. */
  readonly spared?: number;
}

/**
 * Pages of each b-tree: its root, and for each type the first, middle and last of its other pages.
 */
export function positionsOf(path: string): readonly Position[] {
  const kinds = new Map<string, { tree: string; type: string; pages: number[] }>();
  for (const { tree, way, type, page } of pagesOf(path)) {
    const place = way === "/" ? "root" : String(type);
    const kind = kinds.get(`${tree} ${place}`) ?? { tree: String(tree), type: place, pages: [] };
    kinds.set(`${tree} ${place}`, kind);
    kind.pages.push(Number(page));
  }
  const chosen = [...kinds.values()].flatMap(({ tree, type, pages }) => {
    const last = pages.length - 1;
    const indices = [...new Set([0, Math.floor(last / 2), last])];
    return indices.map((index) => ({
      tree,
      place: last === 0 ? type : `${type} ${index + 1} of ${pages.length}`,
      page: pages[index] ?? 0,
    }));
  });
  return [
    ...chosen,
    { tree: "sqlite_schema", place: "root, without the file's header", page: 1, spared: 100 },
    { tree: "pointer map", place: "first page", page: 2 },
    { tree: "free list", place: "first page", page: readFileSync(path).readUInt32BE(32) },
  ];
}

/** Copies an inbox file, and overwrites one page of the copy with bytes from `fill`. */
export function copyDamaged(
  from: string,
  to: string,
  { page, spared = 0 }: Position,
  fill: () => number,
): void {
  copyFileSync(from, to);
  const bytes = readFileSync(to);
  for (let at = (page - 1) * PAGE + spared; at < page * PAGE; at++) bytes[at] = fill();
  writeFileSync(to, bytes);
}

/** Every page of a b-tree. */
function pagesOf(path: string) {
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const sql =
      "SELECT name AS tree, path AS way, pagetype AS type, pageno AS page FROM dbstat ORDER BY pageno";
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}

/** Whether this SQLite was built with a table of its pages. */
export function hasPageTable(): boolean {
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(":memory:");
  try {
    database.prepare("SELECT count(*) FROM dbstat").get();
    return true;
  } catch {
    return false;
  } finally {
    database.close();
  }
}
