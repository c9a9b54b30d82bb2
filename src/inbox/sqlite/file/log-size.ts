import { statSync } from "node:fs";
import type { Logger } from "../../../base/logger.ts";
import { BUSY_TIMEOUT, KEPT_LOG } from "../client.ts";
import type { Statements } from "../statements.ts";

/** The default size in bytes from which a warning is logged. */
export const DEFAULT_WAL_LIMIT = 256 * 1024 * 1024;

/** Milliseconds between checks. */
const EVERY = 10_000;

/** Size in bytes from which the log is moved into the database without waiting for the next write. */
const WORTH_CUTTING = 2 * KEPT_LOG;

/**
 * Watches the size of the write-ahead log. SQLite moves the log into the database itself, but only up to what the
 * oldest open transaction sees: a program that leaves one open makes the log grow without limit.
 */
export class LogSize {
  readonly #inbox: string;
  readonly #limit: number;
  readonly #log: Logger | undefined;
  #nextLook = 0;
  #warned = false;

  /** @param limit - bytes from which a warning is logged */
  constructor(inbox: string, limit: number, log: Logger | undefined) {
    this.#inbox = inbox;
    this.#limit = limit;
    this.#log = log;
  }

  /** Checks at most once per interval; calls `cut` if the log should be moved into the database. */
  look(cut: () => void): void {
    if (performance.now() < this.#nextLook) return;
    this.#nextLook = performance.now() + EVERY;
    const bytes = statSync(`${this.#inbox}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    if (bytes > Math.min(this.#limit, WORTH_CUTTING)) cut();
    if (bytes > this.#limit && !this.#warned) this.#warn(bytes);
    this.#warned = bytes > this.#limit;
  }

  #warn(bytes: number): void {
    const message =
      "the inbox's log cannot shrink because a program keeps a read transaction open: " +
      "end that program (`fuser FILE` lists the programs that have the file open)";
    this.#log?.warn({ log: `${this.#inbox}-wal`, bytes, limit: this.#limit }, message);
  }
}

/** Moves the log into the database and truncates it, as far as that is possible without waiting for readers. */
export function cutLog(statements: Statements): void {
  try {
    statements.exec("PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)");
  } catch {
    // Another connection is writing. The next check tries again.
  } finally {
    statements.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
  }
}
