import { rmSync } from "node:fs";
import type { HookporterError } from "../../base/errors.ts";
import { describeFileError } from "../../base/file-error.ts";
import { isForbidden } from "../../base/file-trouble.ts";
import { readText } from "../../base/system/files.ts";
import { tryOr } from "../../base/try-or.ts";
import { unusable } from "../../base/unusable.ts";
import { checkReplaceable, replaceFile } from "../files/replace-file.ts";
import { inputError } from "../input-errors.ts";

/**
 * A file that exists only while `listen` is ready; one left behind by an earlier process is removed
 * at once. It is replaced as a whole, so that it is never seen half-written. Throws `input_invalid`
 * if something else is at its path, or it cannot be written; `folder_unusable` if this user may not
 * write it.
 */
export function openReadyFile(path: string): { write(fields: object): void; remove(): void } {
  const left = readOwn(path);
  guard(path, () => {
    if (left !== undefined) rmSync(path, { force: true });
    checkReplaceable(path); // so that a failure is noticed before anything is opened
  });
  return {
    write: (fields) => {
      const text = `${JSON.stringify({ schemaVersion: 1, ...fields, pid: process.pid })}\n`;
      guard(path, () => replaceFile(path, text));
    },
    remove: () => {
      // Another process may use the path by now.
      if (readOwn(path, true)?.pid === process.pid) rmSync(path, { force: true });
    },
  };
}

/**
 * The ready file at a path, or an empty file, as `mktemp` creates; `undefined` if there is none.
 * Any other content belongs to someone else.
 */
function readOwn(path: string, lenient = false): { pid: number } | undefined {
  let text: string;
  try {
    text = readText(path);
  } catch (thrown) {
    if (lenient || (thrown as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw refusal(path, describeFileError(thrown), thrown);
  }
  if (text === "") return { pid: 0 };
  const held: unknown = tryOr(() => JSON.parse(text), undefined);
  if (typeof held === "object" && held !== null && "pid" in held && "url" in held)
    return { pid: Number(held.pid) };
  if (lenient) return undefined;
  throw refusal(
    path,
    "it contains something other than a ready file: choose another path",
    undefined,
  );
}

function guard(path: string, work: () => void): void {
  try {
    work();
  } catch (cause) {
    throw refusal(path, describeFileError(cause), cause);
  }
}

function refusal(path: string, why: string, cause: unknown): HookporterError {
  if (isForbidden(cause)) return unusable(path, cause, "pass another path with --ready-file");
  return inputError(`--ready-file ${path} could not be used: ${why}`, cause);
}
