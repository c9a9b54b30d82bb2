import { Worker } from "node:worker_threads";
import { describeError } from "../../base/errors.ts";
import type { RefusalDiagnosis } from "../../inspector/live/refused-bodies.ts";
import type { InspectedDelivery } from "../../receiver/observed.ts";
import { DiagnosisLimit } from "./diagnosis-limit.ts";
import type { DiagnosisMessage, DiagnosisQuestion, DiagnosisStart } from "./diagnosis-program.ts";

/** Milliseconds after which a diagnosis is ended. */
export const MOST_TIME = 2000;
const NO_BODY = new Uint8Array(0);
/** Diagnoses that wait for the one under way. */
export const MOST_WAITING = 20;

type Refused = Pick<InspectedDelivery, "outcome" | "body" | "headers" | "target">;

export interface DiagnosisThreadOptions {
  /** The file of the thread's program. */
  readonly program: string;
  /** What it is given, once it starts. */
  readonly start: () => DiagnosisStart;
  /** Reports that the thread could not be started. */
  readonly warn: (message: string) => void;
  readonly limit?: DiagnosisLimit;
  /** Default {@link MOST_TIME}. */
  readonly mostTime?: number;
}

interface WaitingDiagnosis {
  readonly question: Omit<DiagnosisQuestion, "work">;
  readonly resolve: (diagnosis: RefusalDiagnosis) => void;
}

/**
 * The one place where bodies of strangers are diagnosed: a thread, which can be ended, and without
 * which a search would hold up every delivery. Runs one diagnosis at a time, within a share of the
 * time. Neither keeps the process alive nor delays its end.
 */
export class DiagnosisThread {
  readonly #options: DiagnosisThreadOptions;
  readonly #limit: DiagnosisLimit;
  readonly #waiting: WaitingDiagnosis[] = [];
  /** The results so far, so that each observation is diagnosed once. */
  readonly #results = new WeakMap<object, Promise<RefusalDiagnosis>>();
  #worker: Worker | undefined;
  #state: "starting" | "ready" | "over" = "over";
  #current: WaitingDiagnosis | undefined;
  /** When the current one began, by `performance.now()`. */
  #begun = 0;
  #deadline: NodeJS.Timeout | undefined;

  constructor(options: DiagnosisThreadOptions) {
    this.#options = options;
    this.#limit = options.limit ?? new DiagnosisLimit();
  }

  /** Starts the thread, so that the first diagnosis need not wait for it. */
  start(): void {
    this.#state = "starting";
    const { program, start } = this.#options;
    let worker: Worker;
    try {
      worker = new Worker(program, { workerData: start(), execArgv: [], env: {} });
    } catch (thrown) {
      this.#fail(thrown);
      return;
    }
    worker.unref();
    let failure: unknown = new Error("it has ended");
    worker.on("message", (message: DiagnosisMessage) => this.#onMessage(worker, message));
    worker.once("error", (error) => {
      failure = error;
    });
    worker.once("exit", () => this.#lose(worker, failure));
    this.#worker = worker;
  }

  /**
   * Why a delivery was not authentic; `undefined` for other deliveries, and if the thread has
   * ended. Call it while the observation has its body, which is copied.
   */
  diagnose(observation: InspectedDelivery): Promise<RefusalDiagnosis> {
    const known = this.#results.get(observation) ?? this.#ask(observation);
    this.#results.set(observation, known);
    return known;
  }

  /** Ends the thread at once. What waits for it gets no diagnosis. */
  close(): void {
    this.#state = "over";
    void this.#worker?.terminate();
    this.#answer(undefined);
    this.#answerWaiting(undefined);
  }

  async #ask({ outcome, body, headers, target }: Refused): Promise<RefusalDiagnosis> {
    if (outcome.type !== "unauthorized") return undefined;
    // Without any signature the body was not read, nor does the diagnosis need it.
    const bytes = body === undefined ? NO_BODY : body();
    if (bytes === undefined) return undefined;
    if (this.#state === "over") return undefined;
    if (this.#waiting.length >= MOST_WAITING) return "left_out";
    return new Promise((resolve) => {
      this.#waiting.push({ question: { body: new Uint8Array(bytes), headers, target }, resolve });
      this.#next();
    });
  }

  #next(): void {
    if (this.#state !== "ready" || this.#current !== undefined) return;
    const asked = this.#waiting.shift();
    if (asked === undefined) return;
    const work = this.#limit.work();
    if (work === undefined) {
      asked.resolve("left_out");
      this.#next();
      return;
    }
    const { mostTime = MOST_TIME } = this.#options;
    const { question } = asked;
    this.#current = asked;
    this.#begun = performance.now();
    this.#worker?.postMessage({ ...question, work }, [question.body.buffer as ArrayBuffer]);
    // If this thread was busy, an answer may have come in time, but was not heard: it is heard
    // before the immediate.
    this.#deadline = setTimeout(() => setImmediate(() => this.#end(asked)), mostTime).unref();
  }

  #onMessage(worker: Worker, message: DiagnosisMessage): void {
    if (worker !== this.#worker || this.#state === "over") return;
    if (message.type === "ready") this.#state = "ready";
    else if (message.type === "diagnosis") {
      this.#limit.spend(message.ms);
      this.#answer(message.diagnosis);
    }
    this.#next();
  }

  /** Ends a diagnosis that takes too long, and the thread with it. */
  #end(asked: WaitingDiagnosis): void {
    if (asked !== this.#current) return;
    const worker = this.#worker;
    this.#startAgain("took_too_long");
    void worker?.terminate();
  }

  /** Replaces the thread, and answers the diagnosis that it had. */
  #startAgain(diagnosis: RefusalDiagnosis): void {
    if (this.#current !== undefined) this.#limit.spend(performance.now() - this.#begun);
    this.start();
    this.#answer(diagnosis);
  }

  /** A thread that has ended by itself is replaced, but for one that could not even start. */
  #lose(worker: Worker, failure: unknown): void {
    if (worker !== this.#worker || this.#state === "over") return;
    if (this.#state === "ready") this.#startAgain(undefined);
    else this.#fail(failure);
  }

  #fail(failure: unknown): void {
    this.#state = "over";
    this.#options.warn(
      `the thread that looks for the cause of a wrong signature cannot start: ${describeError(failure)}`,
    );
    this.#answerWaiting(undefined);
  }

  #answer(diagnosis: RefusalDiagnosis): void {
    clearTimeout(this.#deadline);
    const asked = this.#current;
    this.#current = undefined;
    asked?.resolve(diagnosis);
  }

  #answerWaiting(diagnosis: RefusalDiagnosis): void {
    for (const { resolve } of this.#waiting.splice(0)) resolve(diagnosis);
  }
}
