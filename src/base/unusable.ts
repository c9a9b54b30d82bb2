import { HookporterError } from "./errors.ts";
import { fileTrouble } from "./file-trouble.ts";

/**
 * Errors of the file system whose cause is outside this program: permissions, space, or something
 * else at the path.
 */
const OUTSIDE = new Set([
  "EACCES",
  "EPERM",
  "EROFS",
  "EBUSY",
  "ENOSPC",
  "EDQUOT",
  "EFBIG",
  "ENOTDIR",
  "EISDIR",
  "EEXIST",
  "ELOOP",
  "ENAMETOOLONG",
]);

/**
 * The error for a file or folder that cannot be used, with owner and fix; `instead` is what else
 * the user can do.
 */
export function unusable(path: string, thrown: unknown, instead?: string): HookporterError {
  const cause = fileTrouble(path, thrown);
  const more = instead === undefined ? "" : `, or ${instead}`;
  return new HookporterError("folder_unusable", `could not use ${path}: ${cause}${more}`, {
    cause: thrown,
  });
}

/** Uses a file or folder. Throws {@link unusable} if that fails, but errors of ours as they are. */
export function withFileErrors<Value>(path: string, call: () => Value, instead?: string): Value {
  try {
    return call();
  } catch (thrown) {
    throw thrown instanceof HookporterError ? thrown : unusable(path, thrown, instead);
  }
}

/**
 * {@link unusable} for an error of the file system that no other code explained; `undefined` for
 * any other error.
 */
export function unusableFrom(thrown: unknown): HookporterError | undefined {
  const { code, path, syscall } = (thrown ?? {}) as Partial<NodeJS.ErrnoException>;
  if (code === "EMFILE" || code === "ENFILE") {
    const message = `expected to open another file, got ${code}: this process or machine has too many open; raise the limit, for example with \`ulimit -n 4096\``;
    return new HookporterError("folder_unusable", message, { cause: thrown });
  }
  if (code === undefined || syscall === undefined || !OUTSIDE.has(code)) return undefined;
  if (path === undefined && syscall !== "write") return undefined; // a write names no path
  return unusable(path ?? "a file", thrown);
}
