import { statSync } from "node:fs";
import { HookporterError } from "../../errors.ts";

/** The files that hold what is committed: the database, and the log it is written to first. */
const ENDINGS = ["", "-wal"];

/** Which files an inbox has: their ending, and what the file system calls them. */
export type FileIdentities = readonly (readonly [ending: string, identity: string])[];

/**
 * Notices that an inbox's files were removed or replaced while it is open. SQLite goes on writing to a file that no
 * longer has a name, and all of it is gone when the process ends: nothing of that may be acknowledged.
 */
export class Presence {
  readonly #path: string;
  readonly #seen: Map<string, string>;

  /** @param files - what they were when the inbox was opened; by default what they are when first looked at */
  constructor(path: string, files: FileIdentities = []) {
    this.#path = path;
    this.#seen = new Map(files);
  }

  /** What the files are, as far as they were looked at. */
  get files(): FileIdentities {
    return [...this.#seen];
  }

  /** Forgets the log, which is another file once everyone has closed the inbox. */
  forgetLog(): void {
    this.#seen.delete("-wal");
  }

  /** @throws HookporterError `inbox_unavailable` where a file is not the one it was */
  check(): void {
    for (const ending of ENDINGS) {
      const file = this.#path + ending;
      const stats = statSync(file, { throwIfNoEntry: false });
      const seen = this.#seen.get(ending);
      const now = stats === undefined ? undefined : `${stats.dev}:${stats.ino}`;
      if (seen === undefined && now !== undefined) this.#seen.set(ending, now);
      if (seen !== undefined && seen !== now) {
        const got = now === undefined ? "no file" : "another file";
        throw new HookporterError(
          "inbox_unavailable",
          `expected ${file} to stay in place while it is open, got ${got} there: put it back, or restart to begin a new one`,
        );
      }
    }
  }
}
