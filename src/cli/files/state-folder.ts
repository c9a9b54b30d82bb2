import { lstatSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../base/make-folder.ts";
import { unusable } from "../../base/unusable.ts";
import { HookporterError } from "../../errors.ts";
import { makeFile } from "./replace-file.ts";

/** The folder for a project's inbox and development secret. Its own `.gitignore` hides everything in it. */
export const STATE_FOLDER = ".hookporter";

export const DEFAULT_INBOX = join(STATE_FOLDER, "inbox.db");

/** How to do without the folder. */
export const ELSEWHERE = "set HOOKPORTER_SECRET and pass --inbox FILE in a folder of your own";

/**
 * Creates the folder if it is missing, accessible only to its owner, with a `.gitignore` that covers everything in it.
 * Throws `secret_unsafe` if the folder is a symbolic link; `folder_unusable`.
 */
export function makeStateFolder(cwd: string): string {
  const folder = join(cwd, STATE_FOLDER);
  try {
    return provide(folder);
  } catch (thrown) {
    if (thrown instanceof HookporterError) throw thrown;
    throw unusable(folder, thrown, ELSEWHERE);
  }
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
