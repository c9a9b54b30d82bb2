import { lstatSync, type Stats } from "node:fs";
import { userInfo } from "node:os";
import { dirname } from "node:path";
import { HookporterError } from "../../errors.ts";
import { describeFileError } from "./file-error.ts";

/** Errors of the file system whose cause is outside this program: permissions, space, or something else at the path. */
const OUTSIDE = new Set([
  ...["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT"],
  ...["ENOTDIR", "EISDIR", "EEXIST", "ELOOP", "ENAMETOOLONG"],
]);

/**
 * The error for a file or folder of a project that cannot be used: cause, owner and fix, in one line.
 *
 * @param instead - what else the user can do, such as another flag
 */
export function unusable(path: string, thrown: unknown, instead?: string): HookporterError {
  // A file is replaced by a new one beside it, so the error may concern another path.
  const { path: refused = path } = thrown as NodeJS.ErrnoException;
  const found = nearest(refused);
  const code = (thrown as NodeJS.ErrnoException).code ?? "";
  const inPlace = ["ENOTDIR", "EEXIST"].includes(code) && found !== undefined && !found.stats.isDirectory();
  const cause = inPlace
    ? `${found.path} is not a folder: remove or rename it`
    : `${describeFileError(thrown)}${fixFor(thrown, found)}`;
  const more = instead === undefined ? "" : `, or ${instead}`;
  return new HookporterError("folder_unusable", `could not use ${path}: ${cause}${more}`, { cause: thrown });
}

/** The same for an error of the file system that no other code explained; `undefined` for any other error. */
export function unusableFrom(thrown: unknown): HookporterError | undefined {
  const { code, path, syscall } = (thrown ?? {}) as Partial<NodeJS.ErrnoException>;
  if (code === "EMFILE" || code === "ENFILE") return tooManyFiles(code, thrown);
  if (code === undefined || path === undefined || syscall === undefined || !OUTSIDE.has(code))
    return undefined;
  return unusable(path, thrown);
}

function tooManyFiles(code: string, cause: unknown): HookporterError {
  const message = `expected to open another file, got ${code}: this process or machine has too many open; raise the limit, for example with \`ulimit -n 4096\``;
  return new HookporterError("folder_unusable", message, { cause });
}

/** Whether the file system refused for lack of permission. */
export function isForbidden(thrown: unknown): boolean {
  const { code } = (thrown ?? {}) as NodeJS.ErrnoException;
  return code === "EACCES" || code === "EPERM" || code === "EROFS";
}

/** The path, or the nearest folder above it that can be looked at: the one whose permissions matter. */
function nearest(path: string): { readonly path: string; readonly stats: Stats } | undefined {
  try {
    return { path, stats: lstatSync(path) };
  } catch {
    const above = dirname(path);
    return above === path ? undefined : nearest(above);
  }
}

function fixFor(
  thrown: unknown,
  found: { readonly path: string; readonly stats: Stats } | undefined,
): string {
  const { code } = thrown as NodeJS.ErrnoException;
  if (code === "ENOSPC" || code === "EDQUOT") return ": free some space";
  if (code === "EROFS") return ": use another folder";
  if ((code !== "EACCES" && code !== "EPERM") || found === undefined) return ": check the path";
  const own = process.getuid?.();
  if (own === undefined) return `: change the permissions of ${found.path}`; // Windows has no owners of this kind
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
  try {
    if (uid === own) return `${userInfo().username} (${uid})`;
  } catch {
    // A user without a name, as in some containers.
  }
  return `user ${uid}`;
}
