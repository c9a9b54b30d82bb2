import { randomBytes } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder } from "../../base/make-folder.ts";
import { moveFile, putInPlace } from "../../base/system/files.ts";
import { unwritableFileError } from "../input-errors.ts";

/**
 * Replaces a file. It is never half-written, and a symbolic link is replaced, not followed. Unless
 * `mode` says otherwise, only its owner can read it at any time.
 */
export function replaceFile(path: string, content: string | Uint8Array, mode = 0o600): void {
  withDraft(path, content, (draft) => moveFile(draft, path), mode);
}

/**
 * Creates a file that does not exist yet. It is never half-written, and only its owner can read it.
 * Returns `false` if another process was first; its file stays.
 */
export function makeFile(path: string, content: string | Uint8Array): boolean {
  return withDraft(path, content, (draft) => putInPlace(draft, path));
}

/**
 * Throws if a file next to this path, and so its replacement, cannot be written; changes nothing at
 * the path.
 */
export function checkReplaceable(path: string): void {
  withDraft(path, "", () => {});
}

function withDraft<Result>(
  path: string,
  content: string | Uint8Array,
  use: (draft: string) => Result,
  mode = 0o600,
) {
  const draft = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    writeFileSync(draft, content, { mode, flag: "wx" });
    return use(draft);
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Writes a file that the user asked for, and makes its folder if there is none. Throws
 * `input_invalid`, with the path as it was given.
 *
 * @param isShared - whether others of the machine may read it, as they read source code. Default:
 * only its owner
 */
export function writeOut(
  path: string,
  content: string | Uint8Array,
  given: string,
  isShared = false,
): void {
  try {
    makeFolder(dirname(path), isShared ? 0o777 : 0o700);
    replaceFile(path, content, isShared ? 0o644 : 0o600);
  } catch (cause) {
    throw unwritableFileError(given, cause);
  }
}
