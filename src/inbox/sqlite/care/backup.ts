import { statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { HookporterError } from "../../../base/errors.ts";
import { realPath } from "../../../base/system/paths.ts";
import type { Counts } from "../../counts.ts";
import { openToRead } from "../client.ts";
import { copyInto } from "../file/copy-before.ts";
import { sizes } from "../file/file-vitals.ts";
import { findInboxFile } from "../file/inbox-file.ts";
import { makeFile, removeLeftovers } from "../file/new-file.ts";
import { livingRunners } from "../processes/runner-lock.ts";
import { countByState } from "../reads.ts";
import { closing } from "../statements.ts";
import { checkFile } from "./check-file.ts";

export interface Backup {
  /** Its path, with symbolic links of its folder resolved. */
  readonly path: string;
  readonly bytes: number;
  readonly counts: Counts;
  /** The highest number of an entry; 0 if there is none. */
  readonly last: number;
  /**
   * Entries whose delivery is not what was received, in the inbox as in the backup; at most 100.
   */
  readonly unreadable: readonly number[];
}

/**
 * Writes everything that an inbox file and its log hold at this moment into one new file, in one
 * transaction, while other processes go on to use the inbox. The file is checked page by page and
 * flushed to disk before it gets its name.
 *
 * @throws HookporterError `usage` if there is a file that must not be replaced, `inbox_corrupt` if
 * the inbox is damaged, `inbox_…`; errors of the file system
 */
export function backUp(given: string, target: string, { replace = false } = {}): Backup {
  const source = findInboxFile(given);
  const path = join(realPath(dirname(target)), basename(target));
  refuseTarget(source, path, replace);
  removeLeftovers(path);
  let made: Omit<Backup, "path" | "bytes"> | undefined;
  const isMade = makeFile(
    path,
    (draft) => {
      copyInto(source, draft);
      made = checked(draft, source);
    },
    { replace },
  );
  if (!isMade || made === undefined) throw exists(path);
  return { path, bytes: statSync(path).size, ...made };
}

function checked(draft: string, source: string): Omit<Backup, "path" | "bytes"> {
  const { problems, unreadable } = checkFile(draft);
  if (problems.length > 0) {
    throw new HookporterError(
      "inbox_unavailable",
      `expected the backup of ${source} to be intact, got ${JSON.stringify(problems[0])}: check the disk, and try again`,
    );
  }
  return closing(openToRead(draft), (statements) => {
    const newest = statements.get("SELECT coalesce(max(seq), 0) AS last FROM entry") as {
      last: number;
    };
    return { counts: countByState(statements), ...newest, unreadable };
  });
}

/** A backup must never take the place of an inbox, since the log beside it would not match. */
function refuseTarget(source: string, path: string, replace: boolean): void {
  const found = statSync(path, { throwIfNoEntry: false });
  // Those that SQLite, or a receiver, keeps beside an inbox are its own, too.
  const isBeside =
    path.startsWith(source) &&
    /^-(?:wal|shm|journal|holder-.*|erasing(?:-by)?)$/.test(path.slice(source.length));
  const isOwn = (found !== undefined && realPath(path) === source) || isBeside;
  const inUse =
    sizes(path).logBytes > 0 || livingRunners(path).length > 0
      ? `${path}, which a receiver or its log is beside`
      : undefined;
  const taken = isOwn ? "a file of the inbox itself" : inUse;
  if (taken !== undefined) {
    throw new HookporterError(
      "usage",
      `expected a new file to write the backup to, got ${taken}: name another file`,
    );
  }
  if (found !== undefined && !(replace && found.isFile())) throw exists(path);
}

function exists(path: string): HookporterError {
  return new HookporterError(
    "usage",
    `expected no file at ${path}, got one: name another file, or pass --force to replace it`,
  );
}
