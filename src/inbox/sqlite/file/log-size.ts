import { statSync } from "node:fs";
import type { OpenTerms } from "../../inbox.ts";
import { KEPT_LOG } from "../client.ts";
import type { Statements } from "../statements.ts";

/** The default size in bytes from which a warning is logged. */
export const DEFAULT_WAL_LIMIT = 256 * 1024 * 1024;

/** Milliseconds between checks. */
const EVERY = 10_000;

/**
 * Size in bytes from which the log is moved into the database without waiting for the next write.
 */
const WORTH_CUTTING = 2 * KEPT_LOG;

/**
 * Watches the size of the write-ahead log. SQLite moves the log into the database itself, but only
 * up to what the oldest open transaction sees: a program that leaves one open makes the log grow
 * without limit.
 */
export function logSizeWatch(inbox: string, terms: Pick<OpenTerms, "walLimit" | "log">) {
  let nextLook = 0;
  let warned = false;
  /** Checks at most once per interval; calls `cut` if the log should be moved into the database. */
  return (cut: () => void): void => {
    if (performance.now() < nextLook) return;
    nextLook = performance.now() + EVERY;
    const log = `${inbox}-wal`;
    const bytes = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
    const { walLimit: limit = DEFAULT_WAL_LIMIT } = terms;
    if (bytes > Math.min(limit, WORTH_CUTTING)) cut();
    if (bytes > limit && !warned) terms.log?.warn({ log, bytes, limit }, CANNOT_SHRINK);
    warned = bytes > limit;
  };
}

const CANNOT_SHRINK =
  "the inbox's log cannot shrink because a program keeps a read transaction open: " +
  "end that program (`fuser FILE` lists the programs that have the file open)";

/**
 * Moves the log into the database and truncates it, as far as others' locks allow; returns whether
 * it is empty.
 */
export function checkpointLog(statements: Statements, wait = 0): boolean {
  const { lockWait } = statements;
  try {
    statements.waitForLocks(wait);
    statements.exec("PRAGMA wal_checkpoint(PASSIVE)"); // most of it, while others write
    return statements.get("PRAGMA wal_checkpoint(TRUNCATE)")?.busy === 0;
  } catch {
    return false; // Another connection is writing. The next check tries again.
  } finally {
    statements.waitForLocks(lockWait);
  }
}
