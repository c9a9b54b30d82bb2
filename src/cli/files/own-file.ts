import { lstatSync, readFileSync } from "node:fs";
import { shownMode } from "../../base/system/files.ts";
import { unusable } from "../../base/unusable.ts";
import { HookporterError } from "../../errors.ts";

/**
 * Reads a file that contains a secret, without the line end; returns `undefined` if there is none. Throws `secret_unsafe`
 * if others could read or replace it, `folder_unusable` if it cannot be read.
 */
export function readOwnFile(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (!found.isFile() || shownMode(found, 0o077) !== undefined)
    throw new HookporterError(
      "secret_unsafe",
      `expected ${path} to be a file that only its owner can read, got other permissions: run chmod 600 on it, or remove it`,
    );
  try {
    return readFileSync(path, "utf8").trimEnd();
  } catch (thrown) {
    throw unusable(path, thrown);
  }
}
