import { dirname } from "node:path";
import { makeFolder } from "../../base/make-folder.ts";
import { notWritten } from "../input-errors.ts";
import { replaceFile } from "./replace-file.ts";

/**
 * Writes a file that the user asked for, and makes its folder if there is none. Throws `input_invalid`, with the path as it
 * was given.
 *
 * @param isShared - whether others of the machine may read it, as they read source code. Default: only its owner
 */
export function writeOut(path: string, content: string | Uint8Array, given: string, isShared = false): void {
  try {
    makeFolder(dirname(path), isShared ? 0o777 : 0o700);
    replaceFile(path, content, isShared ? 0o644 : 0o600);
  } catch (cause) {
    throw notWritten(given, cause);
  }
}
