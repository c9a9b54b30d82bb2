import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { tryOr } from "../../../base/try-or.ts";
import { alreadyErasing, type Eraser, thisEraser } from "../../erasing.ts";
import { inboxError, isLocked } from "../errors.ts";
import { holdFile } from "./runner-lock.ts";

/**
 * Lets this process alone erase entries of an inbox file, until it calls what is returned, or ends
 * in whatever way. Throws `inbox_busy` if another one erases.
 */
export function erasureLock(inbox: string): () => void {
  const file = `${inbox}-erasing`;
  // Nobody else can read a file that is locked, so another one says who holds the lock.
  const by = `${file}-by`;
  try {
    const database = holdFile(file);
    tryOr(() => writeFileSync(by, JSON.stringify(thisEraser()), { mode: 0o600 }), undefined);
    return () => {
      rmSync(by, { force: true });
      // the file stays: another process may have opened it, and would hold a lock on a removed one
      database.close();
    };
  } catch (thrown) {
    if (!isLocked(thrown)) throw inboxError(inbox, thrown);
    throw alreadyErasing(
      inbox,
      tryOr(() => JSON.parse(readFileSync(by, "utf8")) as Eraser, undefined),
    );
  }
}
