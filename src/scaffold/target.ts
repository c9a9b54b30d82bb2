import { lstat, readdir } from "node:fs/promises";
import { HookporterError } from "../errors.ts";

/**
 * Checks that a folder can be used for a new project: it does not exist, or is empty except for `.git`.
 *
 * @throws HookporterError `directory_not_empty`; `option_invalid` for anything but a folder, such as a link to one
 */
export async function checkTarget(directory: string): Promise<void> {
  const found = await lstat(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (found === undefined) return;
  if (!found.isDirectory()) {
    const got = found.isSymbolicLink() ? "a symbolic link" : "something else";
    throw new HookporterError(
      "option_invalid",
      `expected ${directory} to be a folder or not to exist, got ${got}: name the folder itself`,
    );
  }
  const [first] = (await readdir(directory)).filter((name) => name !== ".git");
  if (first === undefined) return;
  throw new HookporterError(
    "directory_not_empty",
    `expected ${directory} to be empty except for .git, got ${first} in it: name another folder`,
  );
}
