import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { HookporterError } from "../../errors.ts";
import type { WorkResult } from "../commit-together.ts";
import type { Elsewhere } from "../group-commit.ts";
import { packBatch, unpackResults } from "./batch.ts";
import type { Operation } from "./operations.ts";
import type { Presence } from "./presence.ts";
import { besideThisFile } from "./program.ts";
import { FLAGS, type WriterAnswer, type WriterStart } from "./writer-messages.ts";

/** When batches are worth a thread of their own. */
export interface Threading {
  /** The thread's program. Without one, as when the source is run as it is, everything stays in this thread. */
  readonly program: URL | undefined;
  /** Operations in a batch from which on it goes to the thread: below, telling it costs more than the commit. */
  readonly fromOperations: number;
  /** Milliseconds that commits take here on average, from which on all of them go to the thread: a slow disk. */
  readonly fromMilliseconds: number;
}

/** What suits a local disk. */
export function defaultThreading(): Threading {
  const program = besideThisFile("inbox-writer.js");
  return {
    program: program === undefined ? undefined : pathToFileURL(program),
    fromOperations: 8,
    fromMilliseconds: 1,
  };
}

/** Weight of the latest commit in the average. */
const LATEST = 0.2;

/** Milliseconds that the end of the process waits for the thread to leave SQLite. */
const MAX_EXIT_WAIT = 3000;

/** A batch that the thread has. */
interface UnderWay {
  readonly resolve: (results: readonly WorkResult[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A thread that commits, so that this one goes on receiving meanwhile. It is started by the first batch that is worth
 * it, and opens a connection of its own; only one of the two threads ever writes at a time.
 */
export class ThreadedWriter implements Elsewhere<Operation> {
  readonly #path: string;
  readonly #presence: Presence;
  readonly #threading: Threading;
  readonly #flags = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  #worker: Worker | undefined;
  #gone: Promise<void> | undefined;
  #state: "none" | "starting" | "ready" | "over" = "none";
  #average = 0;
  /** In the order in which they were sent, which is that in which they come back. */
  readonly #underWay: UnderWay[] = [];

  constructor(path: string, presence: Presence, threading: Threading) {
    this.#path = path;
    this.#presence = presence;
    this.#threading = threading;
  }

  take(operations: readonly Operation[]): Promise<readonly WorkResult[]> | undefined {
    const { fromOperations, fromMilliseconds } = this.#threading;
    if (operations.length < fromOperations && this.#average < fromMilliseconds) return undefined;
    if (this.#state === "none") this.#tryToStart();
    const worker = this.#worker;
    if (this.#state !== "ready" || worker === undefined) return undefined;
    return new Promise((resolve, reject) => {
      this.#underWay.push({ resolve, reject });
      const batch = packBatch(operations);
      worker.ref(); // somebody waits for it now
      worker.postMessage(batch, [batch.bodies]);
    });
  }

  ranHere(ms: number): void {
    this.#average += (ms - this.#average) * LATEST;
  }

  /** Has the thread bring the log into the database, if there is a thread; returns whether there is. */
  checkpoint(): boolean {
    if (this.#state !== "ready") return false;
    this.#worker?.postMessage("checkpoint");
    return true;
  }

  /** Ends the thread, in order. Nothing may be under way. */
  async close(): Promise<void> {
    this.#worker?.ref();
    if (this.#state === "starting" || this.#state === "ready") this.#worker?.postMessage("close");
    this.#state = "over";
    await this.#gone;
  }

  /** A process may be forbidden to have threads; it does without. */
  #tryToStart(): void {
    const { program } = this.#threading;
    this.#state = "over";
    if (program === undefined) return;
    try {
      this.#start(program);
      this.#state = "starting";
    } catch {
      // Everything is written here, as before.
    }
  }

  #start(program: URL): void {
    const start: WriterStart = {
      path: this.#path,
      files: this.#presence.files,
      flags: this.#flags.buffer as SharedArrayBuffer,
    };
    const worker = new Worker(program, { workerData: start, execArgv: [] });
    worker.unref(); // by itself it keeps no process alive
    worker.on("message", (answer: WriterAnswer) => this.#hear(answer));
    worker.on("error", (error) => this.#lose(error));
    const onExit = () => this.#standStill();
    process.on("exit", onExit);
    this.#gone = new Promise((resolve) => {
      worker.once("exit", () => {
        process.off("exit", onExit);
        this.#lose(new Error("the thread that writes has ended"));
        resolve();
      });
    });
    this.#worker = worker;
  }

  #hear(answer: WriterAnswer): void {
    if ("ready" in answer) {
      if (this.#state === "starting") this.#state = "ready";
      return;
    }
    const results = unpackResults(answer.results);
    this.ranHere(answer.ms); // it is the same disk, so a quick one brings small batches back here
    this.#underWay.shift()?.resolve(results);
    if (this.#underWay.length === 0) this.#worker?.unref();
  }

  /** Without the thread everything is written here again; what it had may be written or not, so it is not acknowledged. */
  #lose(cause: Error): void {
    this.#state = "over";
    const told = `expected the thread that writes ${this.#path} to go on, got its end (${cause.message}): try again`;
    const error = new HookporterError("inbox_unavailable", told, { cause });
    for (const { reject } of this.#underWay.splice(0)) reject(error);
  }

  /** Lets the thread begin nothing more, and waits until it is out of SQLite. */
  #standStill(): void {
    Atomics.store(this.#flags, FLAGS.over, 1);
    Atomics.wait(this.#flags, FLAGS.busy, 1, MAX_EXIT_WAIT);
  }
}
