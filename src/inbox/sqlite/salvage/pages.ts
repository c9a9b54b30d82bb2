import { closeSync, openSync, readSync, writeSync } from "node:fs";

// A copy of an inbox file as its pages, without SQLite: see
// https://www.sqlite.org/fileformat2.html, whose names these are.

/** Bytes per page of an inbox file. */
export const PAGE = 4096;

/** Opens a file to read and write its pages, and closes it. */
export function withFile<Result>(path: string, use: (file: number) => Result): Result {
  const file = openSync(path, "r+");
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}

/** A page by its number, from 1. Zeros, where the file ends. */
export function readPage(file: number, page: number): Buffer {
  const bytes = Buffer.alloc(PAGE);
  readSync(file, bytes, 0, PAGE, (page - 1) * PAGE);
  return bytes;
}

export function writePage(file: number, page: number, bytes: Buffer): void {
  writeSync(file, bytes, 0, PAGE, (page - 1) * PAGE);
}
