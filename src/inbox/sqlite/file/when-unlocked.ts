import { statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { HookporterError } from "../../../base/errors.ts";
import type { OpenTerms } from "../../inbox.ts";
import { isLocked } from "../errors.ts";
import { lockHolders } from "../processes/holders.ts";

/**
 * Milliseconds for which a start waits for another process, beside SQLite's own wait, and between
 * two tries.
 */
const PATIENCE = 10_000;
const PAUSE = 250;

/**
 * Opens an inbox file. A start waits while another process holds it locked, as `inbox vacuum` does;
 * then `inbox_busy`.
 */
export async function whenUnlocked(
  path: string,
  { access = "own", log }: OpenTerms,
  open: () => Promise<void>,
): Promise<void> {
  const patience = access === "own" ? PATIENCE : 0;
  const began = performance.now();
  for (let isReported = false; ; isReported = true) {
    try {
      return await open();
    } catch (thrown) {
      const isWaiting = performance.now() - began < patience;
      if (!(thrown instanceof HookporterError && isLocked(thrown.cause))) throw thrown;
      const by = lockedBy(path);
      if (!isWaiting) {
        const message = `expected ${path} to be free, got it locked by ${by}, such as a vacuum: try again when that has ended`;
        throw new HookporterError("inbox_busy", message, { cause: thrown.cause });
      }
      if (!isReported) log?.warn({ inbox: path }, `the start waits: the inbox is locked by ${by}`);
      await sleep(PAUSE);
    }
  }
}

/** In a file with a write-ahead log, the log's index has the locks. */
function lockedBy(path: string): string {
  const inode = statSync(`${path}-shm`, { throwIfNoEntry: false })?.ino;
  const pid =
    inode === undefined ? undefined : lockHolders(inode).find((holder) => holder !== process.pid);
  return pid === undefined ? "another process" : `process ${pid}`;
}
