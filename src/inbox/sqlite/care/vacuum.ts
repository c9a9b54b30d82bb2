import { HookporterError } from "../../../base/errors.ts";
import { openToRead } from "../client.ts";
import { inboxError } from "../errors.ts";
import { sizes } from "../file/file-vitals.ts";
import { findInboxFile, openFile } from "../file/inbox-file.ts";
import { holderText, livingHolders } from "../processes/holders.ts";
import { closing } from "../statements.ts";

/**
 * Rewrites an inbox file without its free space. This takes as long as reading and writing the
 * file, and temporarily twice its size on the disk. No process can write to the file meanwhile, so
 * it refuses while one holds it. A kill at any moment loses nothing. Returns its sizes before and
 * after, with its log.
 *
 * @throws HookporterError `inbox_busy`, with the process that holds it; `inbox_unavailable`,
 * `inbox_…`
 */
export function vacuumFile(given: string) {
  const path = findInboxFile(given);
  try {
    return vacuum(path);
  } catch (thrown) {
    throw inboxError(path, thrown);
  }
}

function vacuum(path: string) {
  const [user, ...others] = closing(openToRead(path), (statements) =>
    livingHolders(path, statements),
  );
  if (user !== undefined) {
    const more = others.length === 0 ? "" : ` and ${others.length} more`;
    throw new HookporterError(
      "inbox_busy",
      `expected no process to use ${path}, got ${holderText(user)}${more}: stop it first, since it could keep no delivery meanwhile`,
    );
  }
  const size = () => sizes(path).bytes + sizes(path).logBytes;
  const before = size();
  const { database } = openFile(path, "change");
  try {
    database.exec("VACUUM");
    const { busy } = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get() ?? {};
    if (busy !== 0) {
      const [holder] = livingHolders(path);
      throw new HookporterError(
        "inbox_busy",
        `expected no other program to read ${path}, got ${holder === undefined ? "one" : holderText(holder)}: the space is given back once that ends and a receiver, or this command, runs again`,
      );
    }
  } finally {
    database.close();
  }
  return { path, before, after: size() };
}
