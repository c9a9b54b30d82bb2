import { lstatSync, readFileSync } from "node:fs";
import { HookporterError } from "../../errors.ts";
import { describeFileError } from "./file-error.ts";

/**
 * The text of a file that holds a secret, without the line's end; `undefined` where there is none.
 *
 * @throws HookporterError `secret_unsafe` where others could read or swap it, or it cannot be read
 */
export function readOwnFile(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (!found.isFile() || (process.platform !== "win32" && (found.mode & 0o077) !== 0)) {
    throw new HookporterError(
      "secret_unsafe",
      `expected ${path} to be a file only its owner can read, got another: chmod 600 it, or remove it`,
    );
  }
  try {
    return readFileSync(path, "utf8").trimEnd();
  } catch (thrown) {
    throw new HookporterError("secret_unsafe", `${path} cannot be read: ${describeFileError(thrown)}`);
  }
}
