import { describeError, HookporterError, type InboxErrorCode } from "../../base/errors.ts";
import { fileTrouble, isForbidden } from "../../base/file-trouble.ts";
import { ownCommand } from "../../base/package/own-command.ts";
import { pathWord } from "../../base/text/shell-word.ts";

/** SQLite's primary result codes that a user can act on; any other is `inbox_unavailable`. */
const CODES: Readonly<
  Record<number, { code: InboxErrorCode; fix: string | ((path: string) => string) }>
> = {
  5: { code: "inbox_busy", fix: "another process holds it locked; try again" },
  6: { code: "inbox_busy", fix: "another connection holds it locked; try again" },
  8: { code: "inbox_read_only", fix: "make the file and its folder writable" },
  10: { code: "disk_error", fix: "check the disk, which reported an error" },
  // SQLite reports a disk's error when it reads in the same way.
  11: {
    code: "inbox_corrupt",
    fix: (path) =>
      `run \`${ownCommand(`inbox check --inbox ${pathWord(path)}`)}\`: the file is damaged, or its disk fails`,
  },
  13: { code: "disk_full", fix: "free some disk space" },
  14: { code: "inbox_unavailable", fix: "check the path and its permissions" },
  15: { code: "inbox_busy", fix: "keep the inbox on a local disk, where file locks work" },
  26: {
    code: "inbox_corrupt",
    fix: "choose another path, or, if this was an inbox, see docs/recovery.md",
  },
};

/** Whether SQLite reports that the file is damaged. */
export function isDamage(thrown: unknown): boolean {
  return CODES[resultOf(thrown)]?.code === "inbox_corrupt";
}

/** Whether the disk could not be read or written, or a file is too short. */
export function isDiskError(thrown: unknown): boolean {
  return resultOf(thrown) === 10;
}

export function isLocked(thrown: unknown): boolean {
  if (thrown instanceof HookporterError) return thrown.code === "inbox_busy";
  return CODES[resultOf(thrown)]?.code === "inbox_busy";
}

/** Whether SQLite gave up on a lock that it should have been granted. */
export function isLockingFailure(thrown: unknown): boolean {
  return resultOf(thrown) === 15;
}

/**
 * Whether a row has a value that its column does not take, or a key that is there; an error of ours
 * has SQLite's as its cause.
 */
export function isFaultOfRow(thrown: unknown): boolean {
  return [19, 20].includes(resultOf(thrown instanceof HookporterError ? thrown.cause : thrown));
}

/**
 * SQLite's messages for these codes: on Node 20 the client leaves `errcode` out of errors from
 * `.all()`.
 */
const RESULTS: ReadonlyMap<string, number> = new Map([
  ["database is locked", 5],
  ["database table is locked", 6],
  ["attempt to write a readonly database", 8],
  ["disk I/O error", 10],
  ["database disk image is malformed", 11],
  ["database or disk is full", 13],
  ["unable to open database file", 14],
  ["locking protocol", 15],
  ["file is not a database", 26],
]);

/** SQLite's primary result code; -1 if the error is not SQLite's. */
function resultOf(thrown: unknown): number {
  const { errcode, message } = (thrown ?? {}) as { errcode?: unknown; message?: unknown };
  if (typeof errcode === "number") return errcode & 0xff;
  return (typeof message === "string" && RESULTS.get(message)) || -1;
}

/** An error of SQLite or the file system as one of ours, which names the file and the fix. */
export function inboxError(path: string, thrown: unknown): HookporterError {
  if (thrown instanceof HookporterError) return thrown;
  if (isForbidden(thrown)) {
    return new HookporterError(
      "inbox_unavailable",
      `expected to use the inbox ${path}, got ${fileTrouble(path, thrown)}`,
      { cause: thrown },
    );
  }
  const known = CODES[resultOf(thrown)];
  const { code, fix } = known ?? { code: "inbox_unavailable", fix: "check the file and its disk" };
  const got = JSON.stringify(describeError(thrown));
  const message = `expected the inbox ${path} to work, got ${got}: ${typeof fix === "string" ? fix : fix(path)}`;
  return new HookporterError(code, message, { cause: thrown });
}

/** Whether an error of the inbox means that its file is damaged. */
export function isCorrupt(thrown: unknown): thrown is HookporterError {
  return thrown instanceof HookporterError && thrown.code === "inbox_corrupt";
}

/** The same, or that SQLite says so while it may be the disk's fault. */
export function isUnreadable(thrown: unknown): thrown is HookporterError {
  return isCorrupt(thrown) || (thrown instanceof HookporterError && isDamage(thrown.cause));
}

/** What SQLite reports as damage, as an error of the disk, which has reported errors. */
export function blameDisk(path: string, error: HookporterError): HookporterError {
  if (!isDamage(error.cause)) return error;
  const got = JSON.stringify(describeError(error.cause));
  const message = `expected the inbox ${path} to work, got ${got} after its disk had reported errors: check the disk`;
  return new HookporterError("disk_error", message, { cause: error.cause });
}
