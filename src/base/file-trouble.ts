import { lstatSync, type Stats } from "node:fs";
import { userInfo } from "node:os";
import { dirname } from "node:path";
import { describeFileError } from "./file-error.ts";
import { tryOr } from "./try-or.ts";

/** Why the file system refused a path, with its owner and the fix, in one line. */
export function fileTrouble(path: string, thrown: unknown): string {
  // A file is replaced by a new one beside it, so the error may concern another path.
  const { path: refused = path } = thrown as NodeJS.ErrnoException;
  const found = nearest(refused);
  const code = (thrown as NodeJS.ErrnoException).code ?? "";
  const inPlace =
    ["ENOTDIR", "EEXIST"].includes(code) && found !== undefined && !found.stats.isDirectory();
  return inPlace
    ? `${found.path} is not a folder: remove or rename it`
    : `${describeFileError(thrown)}${fixFor(thrown, found)}`;
}

/** Whether the file system refused for lack of permission. */
export function isForbidden(thrown: unknown): boolean {
  const { code } = (thrown ?? {}) as NodeJS.ErrnoException;
  return code === "EACCES" || code === "EPERM" || code === "EROFS";
}

/**
 * The path, or the nearest folder above it that can be looked at: the one whose permissions matter.
 */
function nearest(path: string): { readonly path: string; readonly stats: Stats } | undefined {
  try {
    return { path, stats: lstatSync(path) };
  } catch {
    const above = dirname(path);
    return above === path ? undefined : nearest(above);
  }
}

function fixFor(thrown: unknown, found: ReturnType<typeof nearest>): string {
  const { code } = thrown as NodeJS.ErrnoException;
  if (code === "ENOSPC" || code === "EDQUOT") return ": free some space";
  if (code === "EFBIG") return ": raise it with `ulimit -f`";
  if (code === "EROFS") return ": use another folder";
  if (code === "EBUSY") return ": close the program that has it open";
  if ((code !== "EACCES" && code !== "EPERM") || found === undefined) return ": check the path";
  const own = process.getuid?.();
  // Windows has no owners of this kind, and forbids to replace a file that is open.
  if (own === undefined)
    return `: close the program that has it open, or change the permissions of ${found.path}`;
  const { uid, mode } = found.stats;
  if (uid === own) {
    const shown = (mode & 0o777).toString(8).padStart(4, "0");
    return `; the mode of ${found.path} is ${shown}: run chmod u+rwX on it`;
  }
  return `; ${found.path} belongs to ${nameOf(uid, own)}, and this runs as ${nameOf(own, own)}: run chown on it`;
}

/** A user's name if it is known without asking the system's directory, else the number. */
function nameOf(uid: number, own: number): string {
  if (uid === 0) return "root";
  const number = `user ${uid}`; // some containers have users without a name
  return uid === own ? tryOr(() => `${userInfo().username} (${uid})`, number) : number;
}
