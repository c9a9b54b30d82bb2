import { setTimeout } from "node:timers/promises";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { Logger } from "../../base/logger.ts";
import { HookporterError } from "../../errors.ts";
import type { NewEntry } from "../append.ts";
import type { CommitListeners } from "../vitals.ts";
import { Rescue } from "./care/rescue.ts";
import { closeWholly, openDatabase } from "./client.ts";
import { transactionsOn, type WorkResult } from "./commit-together.ts";
import { inboxError, isLockingFailure } from "./errors.ts";
import { cutLog } from "./file/log-size.ts";
import { Presence } from "./file/presence.ts";
import { GroupCommit } from "./group-commit.ts";
import {
  type Operation,
  type OperationArguments,
  type OperationName,
  type OperationResult,
  runOperation,
} from "./operations.ts";
import { Statements } from "./statements.ts";
import { ThreadedWriter, type Threading } from "./thread/threaded-writer.ts";

/** What is made each time the file is opened. */
interface Opening {
  readonly statements: Statements;
  readonly presence: Presence;
  readonly writer: ThreadedWriter;
}

interface Reports {
  readonly log?: Logger | undefined;
  readonly commits?: CommitListeners | undefined;
  /** Whether a file that is removed or replaced is rescued. Default `false`: a command that only looks in does not. */
  readonly rescues?: boolean;
}

/** Consecutive batches that found the file locked after which it is reopened. */
const BUSY_IN_A_ROW = 5;

/** Milliseconds between attempts to reopen it. */
const REOPEN_AGAIN = 500;

/** A connection to an inbox file: reads in this thread, writes in shared commits, here or in a second thread. */
export class Connection {
  readonly #path: string;
  readonly #threading: Threading;
  readonly #reports: Reports;
  readonly #commit: GroupCommit<Operation>;
  /** What becomes of a file that was removed or replaced. */
  readonly rescue: Rescue;
  #opening: Opening;
  #busyInARow = 0;
  #isSlowReported = false;
  #reopening: Promise<void> | undefined;
  /** Why the file could not be reopened. */
  #failure: unknown;
  #isClosed = false;

  constructor(path: string, database: DatabaseSyncInstance, threading: Threading, reports: Reports = {}) {
    this.#path = path;
    this.#threading = threading;
    this.#reports = reports;
    this.#opening = this.#openingOf(database);
    this.rescue = new Rescue(path, {
      missing: () => this.#opening.presence.missing(),
      bytes: () => bytesOf(this.statements),
      copyInto: (draft) => this.#copyInto(draft),
      log: reports.log,
    });
    this.#commit = new GroupCommit(
      transactionsOn(() => ({ statements: this.statements, presence: this.#opening.presence })),
      (operation) => runOperation(this.statements, operation),
      {
        take: (operations) => this.#opening.writer.take(operations),
        ranHere: (ms) => this.#opening.writer.ranHere(ms),
        afterBatch: this.#watch,
      },
    );
  }

  #openingOf(database: DatabaseSyncInstance): Opening {
    const presence = new Presence(this.#path);
    const { log, commits } = this.#reports;
    const cannotStart = (fields: object, message: string) => {
      if (!this.#isSlowReported) log?.warn(fields, message);
      this.#isSlowReported = true;
    };
    const reports = { cannotStart, commits };
    const writer = new ThreadedWriter(this.#path, presence, this.#threading, reports);
    return { statements: new Statements(database), presence, writer };
  }

  get statements(): Statements {
    if (this.#failure !== undefined) throw this.#failure;
    return this.#opening.statements;
  }

  /** Runs an operation in the next shared commit. */
  write<Name extends OperationName>(
    name: Name,
    args: OperationArguments<Name>,
  ): Promise<OperationResult<Name>> {
    const operation: Operation = { name, args };
    const bytes = name === "append" ? (args[0] as NewEntry).delivery.body.byteLength : 0;
    return this.#commit.run(operation, { bytes, canWait: name === "finish" || name === "settle" });
  }

  /**
   * Moves the log into the database, as far as other programs' locks allow.
   *
   * @throws HookporterError `inbox_unavailable` if the file is no longer in place: its log is then the last copy
   */
  cutLog(): void {
    this.#opening.presence.check();
    if (!this.#opening.writer.checkpoint()) cutLog(this.statements);
  }

  /** Moves the log into the one file, so that a copy of it is complete. */
  emptyLog(): void {
    try {
      this.#opening.presence.check();
      this.statements.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // For example, the disk is full, or the file is no longer in place. What is committed stays in the log beside the file; the next open reads it.
    }
  }

  /** Resolves once nothing is waiting to be written. */
  idle(): Promise<void> {
    return this.#commit.idle();
  }

  async #copyInto(draft: string): Promise<void> {
    await (this.#opening.writer.copyInto(draft) ?? this.statements.copyInto(draft));
  }

  /** Closes the file, after it was rescued if it is no longer in place. Call it when nothing is waiting. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#reopening;
    if (this.#failure === undefined && this.#reports.rescues === true) await this.rescue.settled();
    await this.#opening.writer.close();
    if (this.#failure === undefined) this.statements.close();
  }

  readonly #watch = (results: readonly WorkResult[]): void => {
    if (this.#reports.rescues === true && results.some((result) => "error" in result)) this.rescue.look();
    if (this.rescue.error === undefined) this.#countBusy(results);
  };

  /**
   * Reopens the file if it is locked too often. A lock that could not be released, as happens on network file systems,
   * is held until this process closes the file completely.
   */
  #countBusy(results: readonly WorkResult[]): void {
    const isBusy = (result: WorkResult) =>
      "error" in result && inboxError(this.#path, result.error).code === "inbox_busy";
    this.#busyInARow = results.length > 0 && results.every(isBusy) ? this.#busyInARow + 1 : 0;
    // SQLite has retried for half a minute before this error.
    const gaveUp = results.some((result) => "error" in result && isLockingFailure(result.error));
    if (gaveUp) this.#busyInARow = BUSY_IN_A_ROW;
    if (this.#busyInARow < BUSY_IN_A_ROW || this.#isClosed) return;
    this.#busyInARow = 0;
    this.#reopening ??= this.#reopen().finally(() => {
      this.#reopening = undefined;
    });
  }

  async #reopen(): Promise<void> {
    const { statements, writer, presence } = this.#opening;
    await writer.close();
    this.#failure = new HookporterError(
      "inbox_busy",
      `expected ${this.#path} to be open, but it is being reopened: try again`,
    );
    await closeWholly(statements);
    presence.forgetLog();
    while (this.#failure !== undefined && !this.#isClosed) {
      try {
        presence.check();
        this.#opening = this.#openingOf(openDatabase(this.#path));
        this.#failure = undefined;
      } catch (thrown) {
        this.#failure = thrown;
        await setTimeout(REOPEN_AGAIN);
      }
    }
  }
}

/** The size of an inbox in bytes, without its unused pages. */
function bytesOf(statements: Statements): number {
  const number = (name: string) => Number(Object.values(statements.get(`PRAGMA ${name}`) ?? {})[0]);
  return (number("page_count") - number("freelist_count")) * number("page_size");
}
