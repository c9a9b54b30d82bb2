import { basename, dirname, join, relative, resolve } from "node:path";
import { isBelow, realPath } from "../../base/system/paths.ts";
import { cutText } from "../../base/text/cut-text.ts";
import { tryOr } from "../../base/try-or.ts";
import { isPostgresUrl, postgresPlace } from "../../inbox/postgres/postgres-url.ts";
import type { NamedInbox } from "./named-inbox.ts";

/**
 * What another process may read of an inbox: a path, from the folder if it is in there; a database
 * without user or password.
 */
export function recordedInbox({ option, file }: NamedInbox, cwd: string): string | undefined {
  if (file !== undefined) return shortPath(file, cwd);
  return isPostgresUrl(option) ? postgresPlace(option) : option;
}

/** A path as one types it in a folder: relative if it is in there. */
export function shortPath(file: string, cwd: string): string {
  return isBelow(file, cwd) ? relative(cwd, file) : file;
}

/** The inbox of a running `listen`, as its record names it. */
export interface ListensInbox {
  /** As it is typed after `--inbox` in the folder. */
  readonly shown: string;
  /** What to open; `undefined` if it is in memory, or if only `--inbox` may lead there. */
  readonly option: string | undefined;
  readonly isMemory: boolean;
}

const MOST_TEXT = 2000;

/**
 * Reads the inbox of a record. What is in a folder must not lead a command elsewhere: only a file
 * in that folder counts, or what one of the reader's own settings leads to.
 *
 * @param own - what the reader's own settings name, as options of a receiver
 */
export function readRecordedInbox(text: string, cwd: string, own: readonly string[]): ListensInbox {
  if (text === "memory:") return { shown: text, option: undefined, isMemory: true };
  const mine = own.find((option) => isSameInbox(text, option, cwd));
  if (isPostgresUrl(text))
    return {
      shown: cutText(postgresPlace(text) ?? "postgres://…", MOST_TEXT),
      option: mine,
      isMemory: false,
    };
  const file = resolve(cwd, text);
  const option = mine ?? (isReallyBelow(file, cwd) ? file : undefined);
  return { shown: cutText(shortPath(file, cwd), MOST_TEXT), option, isMemory: false };
}

/**
 * Whether two texts name one inbox: a file by its path, a database by its host, its name and its
 * schema.
 */
export function isSameInbox(text: string, other: string, cwd: string): boolean {
  if (isPostgresUrl(text) !== isPostgresUrl(other)) return false;
  if (!isPostgresUrl(text)) return resolve(cwd, text) === resolve(cwd, other);
  const place = postgresPlace(text);
  return place !== undefined && place === postgresPlace(other);
}

/** Whether a path stays in a folder once its links are followed, also if no file is there yet. */
function isReallyBelow(file: string, cwd: string): boolean {
  const folder = tryOr(() => realPath(dirname(file)), dirname(file));
  const target = tryOr(() => realPath(file), join(folder, basename(file)));
  return isBelow(
    target,
    tryOr(() => realPath(cwd), cwd),
  );
}
