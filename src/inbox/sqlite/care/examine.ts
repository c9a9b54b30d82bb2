import { existsSync, statSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { tryOr } from "../../../base/try-or.ts";
import type { InboxFacts } from "../../inbox-facts.ts";
import { DROPPED } from "../../target-wait.ts";
import { openToChange, openToRead } from "../client.ts";
import { inboxError } from "../errors.ts";
import { sizes } from "../file/file-vitals.ts";
import { CLAIMABLE } from "../index-conditions.ts";
import { SCHEMA_VERSION, schemaOf } from "../migrations.ts";
import { readPauses } from "../pause.ts";
import { lockHolders } from "../processes/holders.ts";
import { livingRunners } from "../processes/runner-lock.ts";
import { otherRunners } from "../processes/runner-records.ts";
import { readSenders } from "../senders.ts";
import { Statements } from "../statements.ts";
import { diskErrorElsewhere, runElsewhere } from "./check-elsewhere.ts";
import { checkIntegrity, mayBeEndless } from "./check-file.ts";

/**
 * Size in bytes up to which a file is looked at in this process, which takes a fraction of a
 * second.
 */
export const SMALL = 64 * 1024 * 1024;

/**
 * Looks at an inbox file and changes nothing. A large one is looked at in another process, which is
 * ended after some time: then what was not found out is missing.
 */
export async function examineFile(
  path: string,
  now: number,
  timeout: number,
): Promise<Partial<FileFacts>> {
  const found = await lookAt(path, now, timeout);
  if (found.error === undefined && (found.problems ?? []).length === 0) return found;
  const disk = await diskErrorElsewhere(path);
  if (disk === undefined) return found;
  const { problems: _, ...rest } = found; // they are the disk's
  const message = `expected to read ${path}, got ${JSON.stringify(disk)}: check the disk`;
  return { ...rest, error: { code: "disk_error", message } };
}

async function lookAt(path: string, now: number, timeout: number): Promise<Partial<FileFacts>> {
  const elsewhere = sizes(path).bytes > SMALL ? await examineElsewhere(path, timeout) : undefined;
  if (elsewhere !== undefined) return elsewhere;
  const wasOpen = isOpen(path);
  const look = (): Partial<FileFacts> => Object.assign({}, ...examineSteps(path, now, true));
  const found = look();
  // A file that was opened meanwhile was not read as it is.
  return !wasOpen && isOpen(path) ? look() : found;
}

function examineElsewhere(path: string, timeout: number): Promise<Partial<FileFacts> | undefined> {
  return new Promise((resolve) => {
    const end = runElsewhere([path, "examine"], (_, text) => {
      clearTimeout(timer);
      const lines = text.split("\n").slice(0, -1);
      resolve(Object.assign({}, sizes(path), ...lines.map((line) => JSON.parse(line))));
    });
    const timer = setTimeout(() => end?.(true), timeout);
    if (end !== undefined) return;
    clearTimeout(timer);
    resolve(undefined);
  });
}

/**
 * Milliseconds for which a lock must be held to count, and between two looks: a commit holds it for
 * far less.
 */
const HELD = 1000;
const LOOK = 50;

/**
 * The processes that kept an inbox file locked for a while; `undefined` if something could have
 * been written. Nothing is written: only the lock is taken, for an instant, and by a connection
 * that is never the last one to close.
 */
export async function findLock(path: string) {
  if (!isOpen(path)) return undefined;
  const reader = openToRead(path);
  try {
    const writer = openToChange(path);
    try {
      writer.exec("PRAGMA busy_timeout = 0");
      for (const end = performance.now() + HELD; !canLock(writer); await delay(LOOK)) {
        if (performance.now() > end) return { pids: lockHolders(statSync(`${path}-shm`).ino) };
      }
    } finally {
      writer.close();
    }
  } finally {
    reader.close();
  }
}

function canLock(database: DatabaseSyncInstance): boolean {
  return tryOr(() => {
    database.exec("BEGIN IMMEDIATE; ROLLBACK");
    return true;
  }, false);
}

export interface FileFacts extends InboxFacts {
  /** Of the write-ahead log. */
  readonly logBytes: number;
  readonly schema: number;
  readonly newestSchema: number;
  /** What SQLite's quick check found, in its words. */
  readonly problems: readonly string[];
  /** Why nothing more could be found out. */
  readonly error: { readonly code: string; readonly message: string };
}

/** How many problems of a damaged file are named. */
const PROBLEMS = "3";

/**
 * Looks at an inbox file, yields what is found piece by piece, the quickest first, and changes
 * nothing: no file beside it is made, and no connection becomes the last one to close.
 *
 * @param checksFirst - whether the file is checked before anything is counted, which may never end
 * in a hostile file; for those who cannot end it
 */
export function* examineSteps(
  path: string,
  now: number,
  checksFirst = false,
): Generator<Partial<FileFacts>> {
  try {
    yield sizes(path);
    const database = openUntouched(path);
    const statements = new Statements(database);
    try {
      const schema = schemaOf(database, path);
      yield { schema, newestSchema: SCHEMA_VERSION };
      const living = livingRunners(path);
      yield {
        processes: otherRunners(statements, undefined).filter(({ id }) => living.includes(id)),
      };
      if (schema === SCHEMA_VERSION) yield* examine(statements, now, checksFirst);
    } finally {
      statements.close();
    }
  } catch (thrown) {
    const { code, message } = inboxError(path, thrown);
    yield { error: { code, message } };
  }
}

/** Whether a program has the file open, or was killed while it had. */
export function isOpen(path: string): boolean {
  return existsSync(`${path}-wal`);
}

/**
 * Opens a file to read, and makes none beside it. Without its log, nobody has the file open. SQLite
 * would make the files beside it even to read, unless told that nothing changes.
 */
export function openUntouched(path: string): DatabaseSyncInstance {
  return openToRead(path, !isOpen(path));
}

/** What is in the tables, if they are of this version. */
function* examine(
  statements: Statements,
  now: number,
  checksFirst: boolean,
): Generator<Partial<FileFacts>> {
  if (checksFirst) {
    const { problems } = checkIntegrity(statements, PROBLEMS, "quick_check");
    if (mayBeEndless(problems, Number(PROBLEMS))) return yield { problems };
  }
  yield { senders: readSenders(statements), pauses: readPauses(statements) };
  const waiting = `SELECT count(*) AS n FROM entry WHERE ${CLAIMABLE}`;
  const due = `SELECT count(*) AS n, min(run_at) AS oldest FROM entry WHERE ${CLAIMABLE} AND run_at <= ?`;
  const failing = `SELECT count(*) AS n FROM entry WHERE state = 'failing'`;
  const { n, oldest } = statements.get(due, now) ?? {};
  yield {
    waiting: Number(statements.get(waiting)?.n),
    failing: Number(statements.get(failing)?.n),
    due: Number(n),
    oldestDue: (oldest ?? null) as number | null,
  };
  const { problems, brokeOff } = checkIntegrity(statements, PROBLEMS, "quick_check");
  yield { problems: brokeOff ? [...problems, "the check broke off"] : problems };
  const sql = "SELECT count(*) AS n FROM entry WHERE state = 'dead' AND reason IS NOT ?";
  yield { dead: Number(statements.get(sql, DROPPED)?.n) };
}
