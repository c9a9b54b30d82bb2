import { describeError } from "./errors.ts";

/** Common file system errors in words; the caller names the path. */
const MESSAGES: Readonly<Record<string, string>> = {
  ENOENT: "no such file or folder",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "it is a folder",
  ENXIO: "it is a socket, not a file",
  ELOOP: "its links lead in a circle",
  ENOTDIR: "a part of its path is not a folder",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EFBIG: "it would be larger than the limit for a file",
  EROFS: "the file system is read-only",
  EEXIST: "a file with that name already exists",
};

/** Why a file cannot be read or written, in a few words. */
export function describeFileError(thrown: unknown): string {
  const code = (thrown as NodeJS.ErrnoException | null)?.code ?? "";
  return MESSAGES[code] ?? describeError(thrown);
}
