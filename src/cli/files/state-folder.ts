import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { HookporterError } from "../../base/errors.ts";
import { makeFolder } from "../../base/make-folder.ts";
import { shownMode } from "../../base/system/files.ts";
import { withFileErrors } from "../../base/unusable.ts";
import { makeFile } from "./replace-file.ts";

/**
 * The folder for a project's inbox and development secret. Its own `.gitignore` hides everything in
 * it.
 */
export const STATE_FOLDER = ".hookporter";

export const DEFAULT_INBOX = join(STATE_FOLDER, "inbox.db");

/** How to do without the folder. */
export const OTHER_FOLDER_ADVICE =
  "set HOOKPORTER_SECRET and pass --inbox FILE in a folder of your own";

/**
 * Creates the folder if it is missing, accessible only to its owner, with a `.gitignore` that
 * covers everything in it. Throws `secret_unsafe` if the folder is a symbolic link;
 * `folder_unusable`.
 */
export function makeStateFolder(cwd: string): string {
  const folder = join(cwd, STATE_FOLDER);
  return withFileErrors(folder, () => provide(folder), OTHER_FOLDER_ADVICE);
}

function provide(folder: string): string {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    throw new HookporterError(
      "secret_unsafe",
      `expected ${STATE_FOLDER} to be a folder, got a symbolic link: remove it`,
    );
  makeFolder(folder, 0o700);
  const ignore = join(folder, ".gitignore");
  if (lstatSync(ignore, { throwIfNoEntry: false }) === undefined) makeFile(ignore, "*\n");
  return folder;
}

/**
 * Reads a file that contains a secret, without the line end; returns `undefined` if there is none.
 * Throws `secret_unsafe` if others could read or replace it, `folder_unusable` if it cannot be
 * read.
 */
export function readOwnFile(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  // chmod would follow a link
  if (!found.isFile()) throw unsafe(path, "a link or a folder: remove it");
  if (shownMode(found, 0o077) !== undefined)
    throw unsafe(path, "other permissions: run chmod 600 on it, or remove it");
  return withFileErrors(path, () => readFileSync(path, "utf8").trimEnd());
}

function unsafe(path: string, got: string): HookporterError {
  const message = `expected ${path} to be a file that only its owner can read, got ${got}`;
  return new HookporterError("secret_unsafe", message);
}
