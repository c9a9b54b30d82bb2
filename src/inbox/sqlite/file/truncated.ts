import { spawnSync } from "node:child_process";
import { blockFor } from "../../../base/block-for.ts";
import { HookporterError } from "../../../base/errors.ts";
import { KEPT_LOG } from "../client.ts";
import { isDamage, isDiskError } from "../errors.ts";
import type { Statements } from "../statements.ts";
import type { Presence, Shrunk } from "./presence.ts";

/**
 * Looks why a file of the inbox has become smaller, if one has. SQLite cuts the log once all that
 * was in it is in the database; whatever else cuts it takes committed entries away.
 *
 * @throws HookporterError `inbox_corrupt` if another program cut a file, `inbox_busy` if that
 * cannot be found out yet
 */
export function throwIfTruncated(presence: Presence, statements: Statements): void {
  const { shrunk } = presence;
  if (shrunk === undefined) return;
  // A database that was cut, but not to nothing, is found damaged where a page is missing.
  const { file, isLog, from, to } = shrunk;
  if (isLog ? lacksPages(shrunk, statements) : to === 0) {
    throw new HookporterError(
      "inbox_corrupt",
      `expected ${file} to keep its ${from} bytes, but another program cut it to ${to}: nothing more is kept, since it would be lost; ` +
        "stop all programs that use the inbox, and follow docs/recovery.md",
    );
  }
  presence.shrunk = undefined;
}

function lacksPages({ file, to }: Shrunk, statements: Statements): boolean {
  if (to === KEPT_LOG) return false; // as SQLite cuts it here
  if (to === 0) return isEmptyTooSoon(file, statements);
  // In another process, since closing the index here would end SQLite's locks on it. Rare enough to
  // wait for it.
  const options = { encoding: "utf8", timeout: 5000 } as const;
  return spawnSync(process.execPath, ["-e", READ_INDEX, file], options).stdout?.trim() === "short";
}

/**
 * Milliseconds between tries while another connection empties the log: SQLite itself waits for
 * every lock but this one.
 */
const TRY_AGAIN = 5;

/**
 * Whether a log that is empty should hold pages that are not in the database. From an empty log,
 * none can be copied.
 */
function isEmptyTooSoon(file: string, statements: Statements): boolean {
  const until = performance.now() + statements.lockWait;
  do {
    for (const mode of ["PASSIVE", "TRUNCATE"]) {
      const { busy, log } = checkpoint(statements, mode);
      if (log === undefined) return true;
      if (log === 0 || (busy === 0 && mode === "TRUNCATE")) return false; // it was emptied in order
    }
    blockFor(TRY_AGAIN);
  } while (performance.now() < until);
  throw new HookporterError(
    "inbox_busy",
    `expected to look why ${file} is empty, got it locked: try again`,
  );
}

/**
 * What SQLite says of a checkpoint; no `log` if the pages that the log should hold cannot be read.
 */
function checkpoint(
  statements: Statements,
  mode: string,
): { readonly busy: number; readonly log?: number } {
  try {
    const row = statements.get(`PRAGMA wal_checkpoint(${mode})`);
    return { busy: Number(row?.busy), log: Number(row?.log) };
  } catch (thrown) {
    if (isDiskError(thrown) || isDamage(thrown)) return { busy: 0 };
    throw thrown;
  }
}

/**
 * Reads the header of a log's index (`-shm`), which is there twice, with the size of pages at byte
 * 14 and the number of pages in the log at byte 16; and prints "short" if the log ends before the
 * last of them. The header may change meanwhile.
 */
const READ_INDEX = `
  const { readFileSync, statSync } = require("node:fs");
  const [log] = process.argv.slice(1);
  const little = require("node:os").endianness() === "LE";
  const header = () => readFileSync(log.replace(/-wal$/, "-shm")).subarray(0, 96);
  for (let look = 0; look < 20; look++) {
    const index = header();
    const { size } = statSync(log);
    if (!header().equals(index) || !index.subarray(0, 48).equals(index.subarray(48))) continue;
    const page = little ? index.readUInt16LE(14) : index.readUInt16BE(14);
    const pages = little ? index.readUInt32LE(16) : index.readUInt32BE(16);
    if (pages > 0 && size < 32 + pages * (24 + page)) console.log("short");
    break;
  }`;
