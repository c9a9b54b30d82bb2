import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "../../base/guards.ts";
import { tryOr } from "../../base/try-or.ts";
import { isHeld, lockFile, runnerLock } from "../../inbox/sqlite/processes/runner-lock.ts";
import { replaceFile } from "../files/replace-file.ts";
import { makeStateFolder, readOwnFile, STATE_FOLDER } from "../files/state-folder.ts";

/**
 * One file for each process: two that start at once do not lose each other's. A lock beside it
 * shows that its process lives; its number alone may be that of another program by now.
 */
const FOLDER = join(STATE_FOLDER, "listening");

/** A `listen` that runs in a folder. */
export interface RunningListen {
  readonly pid: number;
  /** Its endpoint, on this machine. */
  readonly url: URL;
  readonly port: number;
  readonly path: string;
  /** When it began to listen, in milliseconds since 1970. */
  readonly since: number;
  /**
   * Its inbox, as `recordedInbox` writes it. Not to be trusted: any process that can write to the
   * folder may have written it.
   */
  readonly inbox: string | undefined;
}

/**
 * Records where this process listens, and its inbox, until the returned function is called. If the
 * folder cannot be written, or has no locks, nothing is recorded, and other commands use the
 * default endpoint.
 */
export function recordListening(
  cwd: string,
  { port, pathname: path }: URL,
  inbox: string | undefined,
): () => void {
  const file = fileOf(cwd, process.pid);
  let lock: ReturnType<typeof runnerLock> | undefined;
  try {
    makeStateFolder(cwd);
    mkdirSync(join(cwd, FOLDER), { recursive: true, mode: 0o700 });
    for (const dead of recorded(cwd).map((pid) => fileOf(cwd, pid))) {
      if (!isHeld(dead, ""))
        for (const left of [dead, lockFile(dead, "")]) rmSync(left, { force: true });
    }
    lock = runnerLock(file, "");
    replaceFile(
      file,
      `${JSON.stringify({ port: Number(port), path, since: Date.now(), inbox })}\n`,
    );
  } catch {}
  return () => {
    // Without the lock, it is that of a process with the same number in another container.
    if (lock !== undefined) tryOr(() => rmSync(file, { force: true }), undefined);
    lock?.release();
  };
}

/**
 * The `listen` that runs in a folder: of several the oldest, so that another one that starts
 * changes nothing.
 */
export function runningListen(cwd: string): RunningListen | undefined {
  return runningListens(cwd)[0];
}

/** Every `listen` that runs in a folder, the oldest first. */
export function runningListens(cwd: string): readonly RunningListen[] {
  const living = recorded(cwd).flatMap((pid) =>
    isHeld(fileOf(cwd, pid), "") ? read(cwd, pid) : [],
  );
  return living.sort((a, b) => a.since - b.since);
}

/**
 * Only a port and a path are read of the endpoint, so that a file of someone else's cannot lead
 * signed events off this machine.
 */
function read(cwd: string, pid: number): readonly RunningListen[] {
  try {
    const held: unknown = JSON.parse(readOwnFile(fileOf(cwd, pid)) ?? "");
    if (!isRecord(held)) return [];
    const { port, path, since, inbox } = held;
    if (typeof port !== "number" || typeof path !== "string" || typeof since !== "number")
      return [];
    const url = new URL("http://127.0.0.1");
    url.port = String(port);
    url.pathname = path;
    return [{ pid, port, path, since, url, inbox: typeof inbox === "string" ? inbox : undefined }];
  } catch {
    return []; // it ended just now, or the file is not its own
  }
}

function recorded(cwd: string): readonly number[] {
  const names = tryOr(() => readdirSync(join(cwd, FOLDER)), []);
  return names.flatMap((name) => (/^\d+$/.test(name) ? Number(name) : []));
}

function fileOf(cwd: string, pid: number): string {
  return join(cwd, FOLDER, String(pid));
}
