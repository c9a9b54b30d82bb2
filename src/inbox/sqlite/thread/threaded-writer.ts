import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { describeError, HookporterError } from "../../../base/errors.ts";
import type { Logger } from "../../../base/logger.ts";
import { BUSY_TIMEOUT } from "../client.ts";
import {
  commitTogether,
  type Transactions,
  transactionsOn,
  type WorkResult,
} from "../commit-together.ts";
import { isLocked } from "../errors.ts";
import { checkpointLog } from "../file/log-size.ts";
import { Presence } from "../file/presence.ts";
import type { Committer } from "../group-commit.ts";
import { type Operation, runOperation } from "../operations.ts";
import type { Statements } from "../statements.ts";
import { atExit } from "./at-exit.ts";
import { packBatch, unpackResults } from "./batch.ts";
import { builtProgram } from "./built-program.ts";
import { FLAGS, type WriterAnswer, type WriterOrder, type WriterStart } from "./writer-messages.ts";

/** When batches go to a second thread. */
export interface Threading {
  /**
   * The thread's program. Without one, as when the source runs unbuilt, all batches run in this
   * thread.
   */
  readonly program: URL | undefined;
  /**
   * The path where the program was looked for, if it is missing there. Reported when the thread is
   * first needed.
   */
  readonly missing?: string | undefined;
  /**
   * Operations from which a batch goes to the thread: a smaller one costs more to send than to
   * commit.
   */
  readonly fromOperations: number;
  /**
   * Average milliseconds of a commit from which every batch goes to the thread, since the disk is
   * slow.
   */
  readonly fromMilliseconds: number;
}

export function defaultThreading(): Threading {
  const program = builtProgram("inbox-writer.js");
  return {
    program: program?.exists === true ? pathToFileURL(program.path) : undefined,
    missing: program?.exists === false ? program.path : undefined,
    fromOperations: 8,
    fromMilliseconds: 1,
  };
}

export interface WriterReports {
  readonly cannotStart: Logger["warn"];
  /** Told how many milliseconds each batch took, in whichever thread it ran. */
  readonly onCommit?: ((duration: number) => void) | undefined;
}

/** Weight of the latest commit in the moving average. */
const LATEST = 0.2;

/** What to do if the thread cannot start: without it, bursts of deliveries take longer. */
const SLOWER =
  "the inbox's writer thread cannot start, so all commits run in the main thread, which is slower under load: " +
  "if it may open no more files (EMFILE), raise `ulimit -n`; else leave hookporter out of your bundle, or copy inbox-writer.js and inbox-check.js from its dist beside the bundle";

/** Maximum milliseconds that the exit of the process waits for the thread to leave SQLite. */
export const MAX_EXIT_WAIT = 3000;

interface PendingBatch {
  readonly resolve: (results: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Commits in this thread, or in a second one while this one receives. The first batch that is large
 * enough starts it. It opens its own connection, but only one of the two threads writes at a time.
 */
export class ThreadedWriter implements Committer<Operation> {
  readonly statements: Statements;
  readonly presence: Presence;
  readonly #path: string;
  readonly #transactions: Transactions;
  readonly #threading: Threading;
  readonly #reports: WriterReports;
  readonly #flags = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  #worker: Worker | undefined;
  #gone: Promise<void> | undefined;
  #state: "none" | "starting" | "ready" | "over" = "none";
  #average = 0;
  /** In the order in which they were sent, which is also the order of the results. */
  readonly #pending: PendingBatch[] = [];

  constructor(path: string, statements: Statements, threading: Threading, reports: WriterReports) {
    this.statements = statements;
    this.presence = new Presence(path);
    this.#path = path;
    this.#transactions = transactionsOn(statements, this.presence);
    this.#threading = threading;
    this.#reports = reports;
  }

  take(operations: readonly Operation[]): Promise<readonly WorkResult[]> | undefined {
    const { fromOperations, fromMilliseconds } = this.#threading;
    if (operations.length < fromOperations && this.#average < fromMilliseconds) return undefined;
    if (this.#state === "none") this.#tryToStart();
    return this.#send(operations);
  }

  commit(operations: readonly Operation[]): readonly WorkResult[] | Promise<readonly WorkResult[]> {
    const start = performance.now();
    // The thread waits for other processes' locks, if it is there, so that this one need not sleep.
    this.statements.waitForLocks(this.#state === "ready" ? 0 : BUSY_TIMEOUT);
    const run = (operation: Operation) => runOperation(this.statements, operation);
    const results = commitTogether(this.#transactions, operations, run);
    const foundLocked = results.every((result) => "error" in result && isLocked(result.error));
    const sent = foundLocked ? this.#send(operations) : undefined;
    if (sent === undefined) this.#note(performance.now() - start);
    return sent ?? results;
  }

  #send(operations: readonly Operation[]): Promise<readonly WorkResult[]> | undefined {
    if (this.#state !== "ready") return undefined;
    const batch = packBatch(operations);
    return this.#order(batch, [batch.buffer]);
  }

  #order<Result>(order: WriterOrder, transferred: readonly ArrayBuffer[] = []): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ resolve, reject });
      this.#worker?.ref(); // a caller waits for it now
      this.#worker?.postMessage(order, transferred);
    });
  }

  #note(ms: number): void {
    this.#average += (ms - this.#average) * LATEST;
    this.#reports.onCommit?.(ms);
  }

  /**
   * Moves the log into the database, as far as other programs' locks allow: in the thread if it is
   * there.
   */
  cutLog(): void {
    this.presence.check();
    if (this.#state === "ready") this.#worker?.postMessage("checkpoint");
    else checkpointLog(this.statements);
  }

  /** Writes all that is committed into an empty file: in the thread if it is there. */
  async copyInto(draft: string): Promise<void> {
    if (this.#state !== "ready") this.statements.copyInto(draft);
    else await this.#order({ copyInto: draft });
  }

  /** Ends the thread. Call it when no batch is running. */
  async close(): Promise<void> {
    this.#worker?.ref();
    if (this.#state === "starting" || this.#state === "ready") this.#worker?.postMessage("close");
    this.#state = "over";
    await this.#gone;
  }

  #tryToStart(): void {
    const { program, missing } = this.#threading;
    this.#state = "over";
    if (missing !== undefined) this.#reports.cannotStart({ missing }, SLOWER);
    if (program === undefined) return;
    try {
      this.#start(program);
      this.#state = "starting";
    } catch (thrown) {
      this.#reports.cannotStart({ error: describeError(thrown) }, SLOWER);
    }
  }

  #start(program: URL): void {
    const start: WriterStart = {
      path: this.#path,
      files: this.presence.files,
      flags: this.#flags.buffer as SharedArrayBuffer,
    };
    const worker = new Worker(program, { workerData: start, execArgv: [] });
    worker.unref(); // an idle thread must not keep the process alive
    worker.on("message", (answer: WriterAnswer | object) => this.#onMessage(answer));
    worker.on("error", (error) => this.#lose(error));
    const forget = atExit(() => this.#standStill());
    this.#gone = new Promise((resolve) => {
      worker.once("exit", () => {
        forget();
        this.#lose(new Error("the writer thread has ended"));
        resolve();
      });
    });
    this.#worker = worker;
  }

  #onMessage(answer: WriterAnswer | object): void {
    if ("ready" in answer) {
      if (this.#state === "starting") this.#state = "ready";
      return;
    }
    if ("copied" in answer) {
      const { copied, error } = answer as Extract<WriterAnswer, { copied: boolean }>;
      const copying = this.#pending.shift();
      if (copied) copying?.resolve(undefined as never);
      else copying?.reject(error);
    } else if ("results" in answer) {
      const results = unpackResults(answer.results);
      // the same disk: if it is fast again, small batches run in this thread again
      this.#note(answer.ms);
      this.#pending.shift()?.resolve(results as never);
    } // Node's watch mode has a thread report its modules as messages to its parent, too.
    if (this.#pending.length === 0) this.#worker?.unref(); // nobody waits for it
  }

  /**
   * All batches run in this thread again. Those the thread had may or may not be committed, so they
   * are rejected.
   */
  #lose(cause: Error): void {
    if (this.#state === "starting")
      this.#reports.cannotStart({ error: describeError(cause) }, SLOWER);
    this.#state = "over";
    const message = `expected the writer thread of ${this.#path} to keep running, but it failed (${cause.message}): try again`;
    const error = new HookporterError("inbox_unavailable", message, { cause });
    for (const { reject } of this.#pending.splice(0)) reject(error);
  }

  /** Stops the thread from beginning anything, and waits until it has left SQLite. */
  #standStill(): void {
    Atomics.store(this.#flags, FLAGS.over, 1);
    Atomics.wait(this.#flags, FLAGS.busy, 1, MAX_EXIT_WAIT);
  }
}
