import { readFileSync, statSync } from "node:fs";
import { tryOr } from "../../../base/try-or.ts";
import type { Statements } from "../statements.ts";
import { livingRunners, lockFile } from "./runner-lock.ts";
import { otherRunners } from "./runner-records.ts";

/** A living process that receives or runs the entries of an inbox file. */
export interface Holder {
  /** Its id in the tokens of its leases. */
  readonly id: string;
  /** Its process id; `null` where the system does not tell. */
  readonly pid: number | null;
  /** Its version of hookporter; `null` if it has not registered yet. */
  readonly version: string | null;
  /** What it does with the inbox; `null` if it has not registered yet. */
  readonly role: string | null;
}

/** The living processes that hold an inbox file. Without statements, only their ids are known. */
export function livingHolders(path: string, statements?: Statements): readonly Holder[] {
  const living = livingRunners(path);
  if (living.length === 0) return [];
  // If the table is damaged, no process is known.
  const records =
    statements === undefined ? [] : tryOr(() => otherRunners(statements, undefined), []);
  return living.map((id) => {
    const inode = statSync(lockFile(path, id), { throwIfNoEntry: false })?.ino;
    const found = records.find((record) => record.id === id);
    return {
      id,
      pid: (inode === undefined ? undefined : lockHolders(inode)[0]) ?? null,
      version: found?.version ?? null,
      role: found?.role ?? null,
    };
  });
}

/** A holder in words: `process 4711 (hookporter 1.0.0-rc.1, lease 3f9c)`. */
export function holderText({ id, pid, version }: Holder): string {
  const who = pid === null ? "a process" : `process ${pid}`;
  return `${who} (hookporter${version === null ? "" : ` ${version}`}, leases ${id.slice(0, 8)}…)`;
}

const LOCKS = "/proc/locks";

/**
 * The processes that hold a write lock on a file, by its inode. Empty where the system does not
 * tell: other systems than Linux, and processes outside this container.
 */
export function lockHolders(inode: number): readonly number[] {
  const text = tryOr(() => readFileSync(LOCKS, "utf8"), "");
  // 1: POSIX  ADVISORY  WRITE 4711 08:01:1311768 1073741824 1073742335
  const lines = text.matchAll(/^\d+: POSIX +\S+ +WRITE (\d+) [0-9a-f]+:[0-9a-f]+:(\d+) /gm);
  const pids = [...lines]
    .filter(([, , found]) => Number(found) === inode)
    .map(([, pid]) => Number(pid));
  return [...new Set(pids)].filter((pid) => pid > 0);
}
