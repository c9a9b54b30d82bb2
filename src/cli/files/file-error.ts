import { describeError } from "../../errors.ts";

/** The errors of a file system that a user meets, in words; the path is named by whoever reports them. */
const WORDS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is not a folder",
  ENOSPC: "the disk is full",
  EROFS: "the file system is read-only",
  EEXIST: "a file of that name is in the way",
};

/** Why a file cannot be read or written, in a few words. */
export function describeFileError(thrown: unknown): string {
  const code = (thrown as NodeJS.ErrnoException | null)?.code ?? "";
  return WORDS[code] ?? describeError(thrown);
}
