import { closeSync, openSync, readSync } from "node:fs";
import { describeError } from "../../../base/errors.ts";

const STEP = 1024 * 1024;

/**
 * Reads an inbox file and its log to the end, and returns the error that the disk reports. SQLite
 * reports the same error as damage of the file. Only for a process that has no inbox open: closing
 * the file would end its locks.
 */
export function diskError(path: string): string | undefined {
  for (const file of [path, `${path}-wal`]) {
    try {
      const descriptor = openSync(file, "r");
      try {
        const buffer = Buffer.alloc(STEP);
        while (readSync(descriptor, buffer) > 0);
      } finally {
        closeSync(descriptor);
      }
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== "ENOENT") return describeError(thrown);
    }
  }
  return undefined;
}
