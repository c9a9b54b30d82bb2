import { existsSync, statSync } from "node:fs";
import { HookporterError } from "../../../base/errors.ts";

/** The files that hold committed data: the database, and its write-ahead log. */
const ENDINGS = ["", "-wal"];

/** The files of an inbox: the ending of each and its identity in the file system. */
export type FileIdentities = readonly (readonly [ending: string, identity: string])[];

export interface Shrunk {
  readonly file: string;
  readonly isLog: boolean;
  readonly from: number;
  readonly to: number;
}

/**
 * Notices that an inbox's files were removed or replaced while it is open. SQLite goes on writing
 * to a file that was unlinked, and loses it all when the process ends, so none of that may be
 * acknowledged.
 */
export class Presence {
  readonly #path: string;
  readonly #seen: Map<string, string>;
  readonly #sizes = new Map<string, number>();
  /** A file that has become smaller since the last look, until it is known why. */
  shrunk: Shrunk | undefined;

  /** @param files - the files when the inbox was opened; by default those found now */
  constructor(path: string, files: FileIdentities = []) {
    this.#path = path;
    this.#seen = new Map(files);
    if (files.length === 0) this.check();
  }

  get files(): FileIdentities {
    return [...this.#seen];
  }

  /** Forgets the log, which is a new file after all connections were closed. */
  forgetLog(): void {
    this.#seen.delete("-wal");
  }

  noteLog(): void {
    const stats = statSync(`${this.#path}-wal`, { throwIfNoEntry: false });
    if (stats !== undefined && this.#seen.get("-wal") === identity(stats))
      this.#noteSize("-wal", stats.size);
  }

  #noteSize(ending: string, to: number): void {
    const from = this.#sizes.get(ending) ?? 0;
    if (to < from) this.shrunk = { file: this.#path + ending, isLog: ending !== "", from, to };
    if (to !== from) this.#sizes.set(ending, to);
  }

  /** @throws HookporterError `inbox_unavailable` if a file was removed or replaced */
  check(): void {
    const missing = this.missing();
    if (missing === undefined) return;
    const log = `${this.#path}-wal`;
    const keep = existsSync(log) ? `keep ${log}, which has the latest events, ` : "";
    const message = `${missing}: put it back, ${keep}and see docs/recovery.md`;
    throw new HookporterError("inbox_unavailable", message);
  }

  /** What was expected, and what is there instead, if a file was removed or replaced. */
  missing(): string | undefined {
    for (const ending of ENDINGS) {
      const file = this.#path + ending;
      const stats = statSync(file, { throwIfNoEntry: false });
      const seen = this.#seen.get(ending);
      const now = stats && identity(stats);
      if (seen === undefined && now !== undefined) this.#seen.set(ending, now);
      if (stats !== undefined) this.#noteSize(ending, stats.size);
      if (seen !== undefined && seen !== now) {
        const got = now === undefined ? "no file" : "another file";
        return `expected ${file} to stay in place while it is open, got ${got} there`;
      }
    }
    return undefined;
  }
}

function identity({ dev, ino }: { readonly dev: number; readonly ino: number }): string {
  return `${dev}:${ino}`;
}
