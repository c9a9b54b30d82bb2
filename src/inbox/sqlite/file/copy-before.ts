import type { Logger } from "../../../base/logger.ts";
import { tryOr } from "../../../base/try-or.ts";
import { openToRead } from "../client.ts";
import { inboxError } from "../errors.ts";
import { schemaOf } from "../migrations.ts";
import { closing } from "../statements.ts";
import { sizes } from "./file-vitals.ts";
import { makeFile } from "./new-file.ts";

/**
 * Bytes of a file of which a copy is made before its tables change; copying a larger one would
 * delay the start.
 */
export const COPIED = 128 * 1024 * 1024;

/**
 * The schemas that a file had and has, after it was brought up to date, and the copy that was made
 * of it.
 */
export interface Migrated {
  readonly from: number;
  readonly to: number;
  readonly copy: string | undefined;
}

/**
 * Makes a copy to go back to; returns its path, or `undefined` if the file is large, or cannot be
 * copied.
 */
export function copyBefore(path: string, schema: number): string | undefined {
  const { bytes, logBytes } = sizes(path);
  if (bytes + logBytes > COPIED) return undefined;
  return tryOr(() => {
    const copy = `${path}.schema-${schema}`;
    makeFile(copy, (draft) => copyInto(path, draft), { replace: true });
    return copy;
  }, undefined); // a full disk must not keep a receiver from starting
}

/** Copies what an inbox file and its log hold into a new database, in one transaction. */
export function copyInto(source: string, draft: string): void {
  try {
    const database = openToRead(source);
    closing(database, (statements) => {
      schemaOf(database, source);
      statements.copyInto(draft);
    });
  } catch (thrown) {
    throw inboxError(source, thrown);
  }
}

export function reportMigrated(
  path: string,
  { from, to, copy }: Migrated,
  log: Logger | undefined,
): void {
  const back =
    copy === undefined
      ? "no copy was made, as it is large or the disk full: to go back, restore a backup"
      : "to go back, stop this version and put the copy in its place";
  log?.warn({ inbox: path, from, schema: to, copy }, `the inbox has newer tables now; ${back}`);
}
