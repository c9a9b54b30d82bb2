import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { moveFile, putInPlace } from "../../../base/system/files.ts";

// The only module that opens a file of an inbox without SQLite, and only under a new name that no
// other program knows. Closing any descriptor of a file drops all POSIX locks that this process
// holds on it, SQLite's included. Another program would then believe that it is the last one to
// close the inbox, and delete the log with acknowledged events (sqlite.org/howtocorrupt.html, 2.2).

/**
 * Milliseconds without a change after which an unfinished file is taken for one that a killed
 * process left behind.
 */
const LEFT_BEHIND = 60_000;

/**
 * Makes a file complete under another name, flushes it to disk and moves it to its path, so a
 * process that is killed meanwhile leaves nothing at the path. Only its owner can read it at any
 * time. Returns `false` if there was a file at the path; that file stays, unless it is to be
 * replaced.
 *
 * @param fill - writes the empty file at the path it is called with, and closes it
 */
export function makeFile(
  path: string,
  fill: (draft: string) => void,
  { replace = false } = {},
): boolean {
  const draft = beginDraft(path);
  try {
    fill(draft);
    return finishDraft(draft, path, replace);
  } finally {
    removeDraft(draft);
  }
}

/** As {@link makeFile}, for a file that takes long to fill, at a path where there is none. */
export async function makeFileSlowly(
  path: string,
  fill: (draft: string) => Promise<void>,
): Promise<boolean> {
  const draft = beginDraft(path);
  try {
    await fill(draft);
    return finishDraft(draft, path, false);
  } finally {
    removeDraft(draft);
  }
}

function beginDraft(path: string): string {
  const draft = `${path}-new-${randomBytes(6).toString("hex")}`;
  closeSync(openSync(draft, "wx", 0o600)); // SQLite would make it with the process's umask
  return draft;
}

function finishDraft(draft: string, path: string, replace: boolean): boolean {
  const file = openSync(draft, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  if (replace) moveFile(draft, path);
  else if (!putInPlace(draft, path)) return false;
  try {
    // So that the name of a new file survives a power cut as its content does.
    const folder = openSync(dirname(path), "r");
    fsyncSync(folder);
    closeSync(folder);
  } catch {
    // Some systems cannot open folders. They flush names themselves.
  }
  return true;
}

function removeDraft(draft: string): void {
  for (const file of [draft, `${draft}-journal`]) rmSync(file, { force: true });
}

/**
 * Removes unfinished files for a path, and second links to complete ones, that killed processes
 * left behind.
 */
export function removeLeftovers(path: string): void {
  for (const name of readdirSync(dirname(path))) {
    const file = join(dirname(path), name);
    const isDraft = /^(.*)-new-[\da-f]{12}(?:-[a-z]+)?$/s.exec(name)?.[1] === basename(path);
    const changed = isDraft ? statSync(file, { throwIfNoEntry: false })?.mtimeMs : undefined;
    if ((changed ?? Date.now()) < Date.now() - LEFT_BEHIND) rmSync(file, { force: true });
  }
}
