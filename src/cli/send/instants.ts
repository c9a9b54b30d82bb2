import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { readText } from "../../base/system/files.ts";
import { tryOr } from "../../base/try-or.ts";
import { replaceFile } from "../files/replace-file.ts";
import { makeStateFolder, STATE_FOLDER } from "../files/state-folder.ts";

/**
 * Milliseconds. A last instant further ahead than this is from a clock that was set back, and does
 * not count.
 */
const FAR_AHEAD = 60_000;

/** Milliseconds after which a lock was left behind by a process that ended. */
const LOCK_AGE = 2000;

/**
 * Reserves `count` successive milliseconds, and returns the first. No two runs in a folder get the
 * same one, so that no event of one is a duplicate of the other's. They end at the clock's time if
 * the last run's are older, else they begin after those.
 *
 * A folder that cannot be written, or does not exist for a run that sends nothing, remembers
 * nothing: then only the events of this run are sure to differ.
 */
export async function reserveInstants(
  count: number,
  {
    cwd,
    clock,
    dryRun,
  }: { readonly cwd: string; readonly clock: () => number; readonly dryRun: boolean },
): Promise<number> {
  const folder = join(cwd, STATE_FOLDER);
  try {
    if (!dryRun) makeStateFolder(cwd);
  } catch {}
  if (!existsSync(folder)) return clock() - count + 1;
  const path = join(folder, "last-instant");
  const unlock = await lock(`${path}.lock`);
  try {
    const now = clock();
    const read = tryOr(() => Number(readText(path)), 0);
    const last = Number.isSafeInteger(read) ? read : 0;
    const first = Math.max(now - count + 1, last - now > FAR_AHEAD ? 0 : last + 1);
    try {
      replaceFile(path, `${first + count - 1}\n`);
    } catch {}
    return first;
  } finally {
    unlock();
  }
}

/** Waits for other processes, but not for ever; returns a function that lets them continue. */
async function lock(path: string): Promise<() => void> {
  for (let waited = 0; waited < 2 * LOCK_AGE; waited += 5) {
    try {
      writeFileSync(path, "", { flag: "wx", mode: 0o600 });
      return () => rmSync(path, { force: true });
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") return () => {};
    }
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (age > LOCK_AGE) rmSync(path, { force: true });
    else await wait(5);
  }
  return () => {};
}
