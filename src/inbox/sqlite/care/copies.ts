import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { tryOr } from "../../../base/try-or.ts";
import type { Inbox } from "../../inbox.ts";
import { isInboxFile, openToChange } from "../client.ts";
import { clearErased, overwriteAll } from "../erase.ts";
import { inboxError } from "../errors.ts";
import { rescuedBeside } from "../file/rescued-files.ts";
import { deliveryOfEntry, listEntries } from "../reads.ts";
import { closing, Statements } from "../statements.ts";
import { isOpen, openUntouched } from "./examine.ts";

/**
 * The files that hookporter itself wrote beside an inbox file: rescued ones, and copies from before
 * newer tables.
 */
export function copiesBeside(path: string): readonly string[] {
  const schemas = filesInSameFolder(path).filter(
    (name) => /^(.*)\.schema-\d+$/s.exec(name)?.[1] === basename(path),
  );
  return [...rescuedBeside(path), ...schemas.map((name) => join(dirname(path), name))];
}

/** Other inbox files in the same folder, such as backups. */
export function otherInboxesBeside(path: string): readonly string[] {
  const own = new Set([path, ...copiesBeside(path)]);
  const files = filesInSameFolder(path).map((name) => join(dirname(path), name));
  return files.filter((file) => !own.has(file) && isInbox(file));
}

function filesInSameFolder(path: string): readonly string[] {
  return readdirSync(dirname(path), { withFileTypes: true })
    .filter(
      (dirent) =>
        dirent.isFile() &&
        !/-(?:wal|shm|journal|holder-[\da-f]+|erasing(?:-by)?)$/.test(dirent.name),
    )
    .map(({ name }) => name);
}

function isInbox(file: string): boolean {
  return tryOr(() => isInboxFile(file, !isOpen(file)), false); // another kind of file, or another user's
}

/** Reads a copy with `read`. */
export async function readCopy<Result>(
  path: string,
  read: (copy: Pick<Inbox, "list" | "delivery">) => Promise<Result>,
): Promise<Result> {
  try {
    const statements = new Statements(openUntouched(path));
    try {
      return await read({
        list: async (filter) => listEntries(statements, filter),
        delivery: async (seq) => deliveryOfEntry(statements, seq),
      });
    } finally {
      statements.close();
    }
  } catch (thrown) {
    throw inboxError(path, thrown);
  }
}

/**
 * Erases entries of a copy that no process uses, and writes the file again without what is left of
 * them.
 */
export function eraseInCopy(path: string, seqs: readonly number[], now: number): void {
  try {
    closing(openToChange(path), (statements) => {
      statements.transaction(() => clearErased(statements, overwriteAll(statements, seqs, now)));
      statements.exec("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
    });
  } catch (thrown) {
    throw inboxError(path, thrown);
  }
}
