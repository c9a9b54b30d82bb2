import { readFileSync, rmSync } from "node:fs";
import { HookporterError } from "../../errors.ts";
import { describeFileError } from "../files/file-error.ts";
import { checkReplaceable, replaceFile } from "../files/replace-file.ts";

/**
 * A file that is there while `listen` is ready, and only then: what an earlier one left behind is removed at once.
 * Replaced whole, so that whoever sees it can read it.
 *
 * @throws HookporterError `input_invalid` where something else is at its path, or it cannot be written
 */
export function openReadyFile(path: string): { write(fields: object): void; remove(): void } {
  const left = readOwn(path);
  guard(path, () => {
    if (left !== undefined) rmSync(path, { force: true });
    checkReplaceable(path); // what cannot be written is to be known before anything is open
  });
  return {
    write: (fields) => {
      const text = `${JSON.stringify({ schemaVersion: 1, ...fields, pid: process.pid })}\n`;
      guard(path, () => replaceFile(path, text));
    },
    remove: () => {
      // Another process may have taken the path over since.
      if (readOwn(path, true)?.pid === process.pid) rmSync(path, { force: true });
    },
  };
}

/**
 * The ready file at a path, or an empty file, such as `mktemp` makes; `undefined` where there is none. Anything else there
 * is somebody's own.
 */
function readOwn(path: string, lenient = false): { pid: number } | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (thrown) {
    if (lenient || (thrown as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw refusal(path, describeFileError(thrown), thrown);
  }
  if (text === "") return { pid: 0 };
  try {
    const held: unknown = JSON.parse(text);
    if (typeof held === "object" && held !== null && "pid" in held && "url" in held)
      return { pid: Number(held.pid) };
  } catch {
    // not JSON: no ready file
  }
  if (lenient) return undefined;
  throw refusal(path, "it holds something that is no ready file: choose another path", undefined);
}

function guard(path: string, work: () => void): void {
  try {
    work();
  } catch (cause) {
    throw refusal(path, describeFileError(cause), cause);
  }
}

function refusal(path: string, why: string, cause: unknown): HookporterError {
  return new HookporterError("input_invalid", `--ready-file ${path} cannot be used: ${why}`, { cause });
}
