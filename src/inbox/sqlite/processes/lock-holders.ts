import { readFileSync } from "node:fs";

/** Linux's list of all file locks. */
const LOCKS = "/proc/locks";

/**
 * The processes that hold a write lock on a file, by its inode. Empty where the system does not tell: other systems than
 * Linux, and processes outside this container.
 */
export function lockHolders(inode: number): readonly number[] {
  let text: string;
  try {
    text = readFileSync(LOCKS, "utf8");
  } catch {
    return [];
  }
  // 1: POSIX  ADVISORY  WRITE 4711 08:01:1311768 1073741824 1073742335
  const lines = text.matchAll(/^\d+: POSIX +\S+ +WRITE (\d+) [0-9a-f]+:[0-9a-f]+:(\d+) /gm);
  const pids = [...lines].filter(([, , found]) => Number(found) === inode).map(([, pid]) => Number(pid));
  return [...new Set(pids)].filter((pid) => pid > 0);
}
