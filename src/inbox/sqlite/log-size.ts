import { statSync } from "node:fs";
import type { Logger } from "../../logger.ts";
import { BUSY_TIMEOUT, KEPT_LOG } from "./client.ts";
import type { Statements } from "./statements.ts";

/** Bytes from which on there is a warning, if nothing else is said. */
export const DEFAULT_WAL_LIMIT = 256 * 1024 * 1024;

/** Milliseconds between checks. */
const EVERY = 10_000;

/** Bytes from which on a log is brought into the database without waiting for the next write to do it. */
const WORTH_CUTTING = 2 * KEPT_LOG;

/**
 * Watches the write-ahead log's size. SQLite brings it into the database by itself, but not past what a reader still
 * sees: a transaction that some program leaves open makes the log grow without end.
 */
export class LogSize {
  readonly #inbox: string;
  readonly #limit: number;
  readonly #log: Logger | undefined;
  #nextLook = 0;
  #warned = false;

  /** @param limit - bytes from which on there is a warning */
  constructor(inbox: string, limit: number, log: Logger | undefined) {
    this.#inbox = inbox;
    this.#limit = limit;
    this.#log = log;
  }

  /** Looks from time to time; `cut` is called when the log should be brought into the database. */
  look(cut: () => void): void {
    if (performance.now() < this.#nextLook) return;
    this.#nextLook = performance.now() + EVERY;
    const bytes = statSync(`${this.#inbox}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    if (bytes > Math.min(this.#limit, WORTH_CUTTING)) cut();
    if (bytes > this.#limit && !this.#warned) this.#warn(bytes);
    this.#warned = bytes > this.#limit;
  }

  #warn(bytes: number): void {
    const told =
      "some program keeps a read transaction open on the inbox, so that its log cannot be brought into the file: " +
      "end it (`fuser FILE` names the programs that have it open); the log shrinks by itself then";
    this.#log?.warn({ log: `${this.#inbox}-wal`, bytes, limit: this.#limit }, told);
  }
}

/** Brings the log into the database as far as readers let it, without waiting for them, and cuts it. */
export function cutLog(statements: Statements): void {
  try {
    statements.exec("PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)");
  } catch {
    // Somebody writes just now. The next look tries again.
  } finally {
    statements.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
  }
}
