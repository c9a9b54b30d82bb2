import { randomUUID } from "node:crypto";
import { readFileSync, rmSync, statSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { makeFile } from "./replace-file.ts";

/** Milliseconds between two looks at a lock that another process holds. */
const LOOK_AGAIN = 50;

/** Milliseconds after which a lock is void, even if a process with its id lives: ids are reused. */
const TOO_OLD = 600_000;

/** How to wait for others. */
export interface LockWait {
  /** Called once if another process is at work. */
  readonly onWait: () => void;
  /** Ends the wait; its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Does some work while no other process that uses the same lock file does. A lock left behind by a killed process is
 * ignored. Without a lock, if the file cannot be written, the work is done all the same.
 */
export async function oneAtATime<Result>(
  path: string,
  work: () => Promise<Result>,
  { onWait, signal }: LockWait,
): Promise<Result> {
  const own = `${process.pid} ${randomUUID()}\n`;
  for (let looks = 0; !take(path, own); looks++) {
    signal?.throwIfAborted();
    if (looks === 0) onWait();
    await wait(LOOK_AGAIN);
  }
  try {
    return await work();
  } finally {
    if (read(path) === own) rmSync(path, { force: true });
  }
}

/** Whether the work may begin. */
function take(path: string, own: string): boolean {
  try {
    if (makeFile(path, own)) return true;
  } catch {
    return true;
  }
  if (isVoid(path)) rmSync(path, { force: true }); // the next look takes it
  return false;
}

function isVoid(path: string): boolean {
  const pid = Number.parseInt(read(path) ?? "", 10);
  const since = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  return Date.now() - since > TOO_OLD || (Number.isInteger(pid) && pid > 0 && !isAlive(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
