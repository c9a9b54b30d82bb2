import { statSync } from "node:fs";
import { HookporterError } from "../../errors.ts";

/** The files that hold what is committed: the database, and the log it is written to first. */
const ENDINGS = ["", "-wal"];

/**
 * Notices that an inbox's files were removed or replaced while it is open. SQLite goes on writing to a file that no
 * longer has a name, and all of it is gone when the process ends: nothing of that may be acknowledged.
 */
export class Presence {
  readonly #path: string;
  readonly #seen = new Map<string, string>();

  constructor(path: string) {
    this.#path = path;
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
        const what = now === undefined ? "was removed" : "was replaced";
        throw new HookporterError(
          "inbox_unavailable",
          `${file} ${what} while it was open: put it back, or restart to begin a new one`,
        );
      }
    }
  }
}
