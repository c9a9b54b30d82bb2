import { setTimeout } from "node:timers/promises";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { describeError, HookporterError } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { Appended, NewEntry } from "../append.ts";
import { Rescue } from "./care/rescue.ts";
import { BUSY_TIMEOUT, closeWholly, openDatabase, openToRead } from "./client.ts";
import type { WorkResult } from "./commit-together.ts";
import { inboxError, isCorrupt, isLocked, isLockingFailure } from "./errors.ts";
import { checkpointLog } from "./file/log-size.ts";
import { throwIfTruncated } from "./file/truncated.ts";
import { GroupCommit } from "./group-commit.ts";
import { inTurn } from "./in-turn.ts";
import type {
  Operation,
  OperationArguments,
  OperationName,
  OperationResult,
} from "./operations.ts";
import { closing, Statements } from "./statements.ts";
import { ThreadedWriter, type Threading, type WriterReports } from "./thread/threaded-writer.ts";

interface Reports extends Pick<WriterReports, "onCommit"> {
  readonly log?: Logger | undefined;
  /**
   * Whether a file that is removed or replaced is rescued. Default `false`: a command that only
   * looks in does not.
   */
  readonly rescues?: boolean;
}

/** Consecutive batches that found the file locked after which it is reopened. */
const BUSY_IN_A_ROW = 5;

/** Milliseconds between attempts to reopen it. */
const REOPEN_AGAIN = 500;

/** Milliseconds until a read that found the file locked is tried again. */
const READ_AGAIN = 50;

/**
 * How often the log is tried to be emptied, and for how many milliseconds: nobody else can write
 * meanwhile.
 */
const LOG_TRIES = 15;
const LOG_WAIT = 50;

/**
 * A connection to an inbox file: reads in this thread, writes in shared commits, here or in a
 * second thread.
 */
export class Connection {
  readonly #path: string;
  readonly #threading: Threading;
  readonly #reports: Reports;
  readonly #commit: GroupCommit<Operation>;
  /** What becomes of a file that was removed or replaced. */
  readonly rescue: Rescue;
  /** Made each time the file is opened. */
  #writer: ThreadedWriter;
  #busyInARow = 0;
  #isThreadFailureLogged = false;
  #reopening: Promise<void> | undefined;
  /** Why the file could not be reopened, or is no longer used. */
  #failure: unknown;
  /**
   * Why it is no longer used: another program cut it. SQLite's own errors of damage are not of our
   * class yet.
   */
  truncationError: HookporterError | undefined;
  #newest = 0;
  #isClosed = false;

  constructor(
    path: string,
    database: DatabaseSyncInstance,
    threading: Threading,
    reports: Reports = {},
  ) {
    this.#path = path;
    this.#threading = threading;
    this.#reports = reports;
    this.#writer = this.#writerOf(database);
    this.rescue = new Rescue(path, {
      missing: () => this.#writer.presence.missing(),
      bytes: () => {
        const number = (name: string) => Number(this.statements.pragma(name));
        // without unused pages
        return (number("page_count") - number("freelist_count")) * number("page_size");
      },
      copyInto: (draft) => this.#writer.copyInto(draft),
      log: reports.log,
    });
    this.#commit = new GroupCommit({
      take: (operations) => this.#writer.take(operations),
      commit: (operations) =>
        this.#failure === undefined
          ? this.#writer.commit(operations)
          : operations.map(() => ({ error: this.#failure })),
      afterBatch: (results) => this.#watch(results),
    });
  }

  #writerOf(database: DatabaseSyncInstance): ThreadedWriter {
    const { log, onCommit } = this.#reports;
    const cannotStart = (fields: object, message: string) => {
      if (!this.#isThreadFailureLogged) log?.warn(fields, message);
      this.#isThreadFailureLogged = true;
    };
    const reports = { cannotStart, onCommit };
    return new ThreadedWriter(this.#path, new Statements(database), this.#threading, reports);
  }

  get statements(): Statements {
    if (this.#failure !== undefined) throw this.#failure;
    return this.#writer.statements;
  }

  write<Name extends OperationName>(
    name: Name,
    args: OperationArguments<Name>,
  ): Promise<OperationResult<Name>> {
    const operation: Operation = { name, args };
    const bytes = name === "append" ? (args[0] as NewEntry).delivery.body.byteLength : 0;
    return this.#commit.run(operation, { bytes, canWait: name === "finish" || name === "settle" });
  }

  /** Reads, again after a pause if the file is locked, which hardly ever keeps a reader out. */
  async read<Result>(work: (statements: Statements) => Result): Promise<Result> {
    for (let waited = 0; ; waited += READ_AGAIN) {
      try {
        return work(this.statements);
      } catch (thrown) {
        if (!isLocked(thrown) || waited >= BUSY_TIMEOUT) throw thrown;
        await setTimeout(READ_AGAIN);
      }
    }
  }

  /**
   * Moves the log into the database, as far as locks allow; throws if the file is gone: its log is
   * then the last copy.
   */
  checkpointLog(): void {
    this.#writer.cutLog();
  }

  /**
   * Moves the log into the one file, so that a copy of it is complete, as far as others' locks
   * allow.
   */
  tryCheckpoint(): void {
    try {
      this.#writer.presence.check();
      checkpointLog(this.statements, LOG_WAIT);
    } catch {
      // The file is no longer in place, or was cut. What is committed stays in the log beside the
      // file; the next open reads it.
    }
  }

  /**
   * Empties the log while others write; tries a few times, then throws `inbox_busy` if one keeps a
   * read transaction open.
   */
  async checkpointWhileInUse(): Promise<void> {
    for (let tries = 0; tries < LOG_TRIES; tries++) {
      this.#writer.presence.check();
      if (await inTurn(async () => checkpointLog(this.statements, LOG_WAIT))) return;
    }
    const message = `expected no program to read ${this.#path} for long, got one whose transaction keeps the log from being emptied: end it (\`fuser ${this.#path}\` lists them), then try again`;
    throw new HookporterError("inbox_busy", message);
  }

  idle(): Promise<void> {
    return this.#commit.idle();
  }

  /**
   * Closes the file, after it was rescued if it is no longer in place. Call it when nothing is
   * waiting.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#reopening;
    if (this.#failure === undefined && this.#reports.rescues === true) await this.rescue.settled();
    if (this.truncationError !== undefined) return;
    await this.#writer.close();
    if (this.#failure === undefined) this.statements.close();
  }

  #watch(results: readonly WorkResult[]): void {
    let failed = false;
    for (const result of results) {
      if ("error" in result) {
        failed = true;
        if (isCorrupt(result.error)) this.#abandon(result.error);
        continue;
      }
      const { seq = 0 } = (result.value as Partial<Appended> | undefined) ?? {};
      if (seq > this.#newest) this.#newest = seq;
    }
    if (failed && this.#reports.rescues === true) this.checkFiles();
    if (this.rescue.error === undefined) this.#countBusy(results);
  }

  /** Why nothing can be kept, if that is known: a file may be back in place since the last look. */
  get refusal(): HookporterError | undefined {
    return this.truncationError ?? (this.rescue.error && this.rescue.rescueIfMissing());
  }

  /**
   * Looks whether the files are in place, and whole; returns why nothing can be kept if they are
   * not.
   */
  checkFiles(): HookporterError | undefined {
    const missing = this.truncationError ?? this.rescue.rescueIfMissing();
    if (missing !== undefined) return missing;
    try {
      throwIfTruncated(this.#writer.presence, this.statements);
    } catch (thrown) {
      if (isCorrupt(thrown)) this.#abandon(thrown);
    }
    return this.truncationError;
  }

  /**
   * Stops using files that were cut. The last connection copies what is left of the log into the
   * database when it closes, a page here and a page there, so this one is never closed, not even by
   * Node when the process ends.
   */
  #abandon(error: HookporterError): void {
    if (this.truncationError !== undefined) return;
    this.truncationError = this.#failure = error;
    neverClosed.add(this.#writer);
    process.once("exit", (code) => process.exit(code));
    this.#reports.log?.error(describeRemainingEntries(this.#path, this.#newest), error.message);
  }

  /**
   * Reopens the file if it is locked too often. A lock that could not be released, as happens on
   * network file systems, is held until this process closes the file completely.
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
    const { statements, presence } = this.#writer;
    await this.#writer.close();
    this.#failure = new HookporterError(
      "inbox_busy",
      `expected ${this.#path} to be open, but it is being reopened: try again`,
    );
    await closeWholly(statements);
    presence.forgetLog();
    while (this.#failure !== undefined && !this.#isClosed) {
      try {
        presence.check();
        this.#writer = this.#writerOf(openDatabase(this.#path));
        this.#failure = undefined;
      } catch (thrown) {
        this.#failure = thrown;
        await setTimeout(REOPEN_AGAIN);
      }
    }
  }
}

const neverClosed = new Set<ThreadedWriter>();

/** What the database holds without its log, and the entry that was kept last. */
function describeRemainingEntries(path: string, newest: number): object {
  try {
    const count = "SELECT count(*) AS entries, max(seq) AS last FROM entry";
    const { entries, last } = closing(openToRead(path, true), (file) => file.get(count)) ?? {};
    return {
      entriesInDatabase: entries,
      lastInDatabase: last,
      lastAcknowledged: newest || undefined,
    };
  } catch (thrown) {
    return { entriesInDatabase: describeError(thrown), lastAcknowledged: newest || undefined };
  }
}
