import { Session } from "node:inspector/promises";
import type { V8Profile } from "../profile/v8-profile.ts";
import type { CommitTimes } from "./name-statements.ts";

/** Microseconds between two samples. */
const INTERVAL = 250;

/** The profile of one thread. */
export interface ThreadProfile {
  /** The system's number of the thread, on Linux. */
  readonly id: number | undefined;
  /** Whether it receives: the process's first thread. */
  readonly receives: boolean;
  readonly profile: V8Profile;
  /** Zeros, unless the statements are named. */
  readonly commits: CommitTimes;
}

/** Sends a command of V8's inspector to a thread. */
type Post = (method: string, params?: object) => Promise<unknown>;

/**
 * V8 CPU profiles of all threads that run JavaScript, started on request, to profile a warm server
 * rather than its start.
 */
export class CpuProfile {
  readonly #session = new Session();
  readonly #threads: Post[] = [];
  readonly #answers = new Map<string, (answer: { result?: unknown; error?: unknown }) => void>();
  #sent = 0;

  async start(): Promise<void> {
    this.#session.connect();
    this.#threads.push((method, params) => this.#session.post(method, params) as Promise<unknown>);
    this.#session.on("NodeWorker.attachedToWorker", ({ params }) => {
      this.#threads.push((method, given) => this.#toWorker(params.sessionId, method, given));
    });
    this.#session.on("NodeWorker.receivedMessageFromWorker", ({ params }) => {
      const answer = JSON.parse(params.message) as {
        id?: number;
        result?: unknown;
        error?: unknown;
      };
      this.#answers.get(`${params.sessionId} ${answer.id}`)?.(answer);
    });
    await this.#session.post("NodeWorker.enable", { waitForDebuggerOnStart: false });
    for (const post of this.#threads) {
      await post("Profiler.enable");
      await post("Profiler.setSamplingInterval", { interval: INTERVAL });
      await post("Profiler.start");
    }
  }

  /** Ends the profiles. */
  async stop(): Promise<readonly ThreadProfile[]> {
    const all: ThreadProfile[] = [];
    for (const [index, post] of this.#threads.entries()) {
      const { profile } = (await post("Profiler.stop")) as { profile: V8Profile };
      const commits = await evaluate(
        post,
        "globalThis.hookporterCommits ?? { count: 0, measured: 0, wall: 0, cpu: 0 }",
      );
      const link = `process.platform === "linux" ? process.getBuiltinModule("node:fs").readlinkSync("/proc/thread-self") : ""`;
      const id = /(\d+)$/.exec(String(await evaluate(post, link)))?.[1];
      const number = id === undefined ? undefined : Number(id);
      all.push({ id: number, receives: index === 0, profile, commits: commits as CommitTimes });
    }
    this.#session.disconnect();
    return all;
  }

  #toWorker(sessionId: string, method: string, params: object = {}): Promise<unknown> {
    const id = ++this.#sent;
    const message = JSON.stringify({ id, method, params });
    return new Promise((resolve, reject) => {
      this.#answers.set(`${sessionId} ${id}`, ({ result, error }) => {
        this.#answers.delete(`${sessionId} ${id}`);
        if (error === undefined) resolve(result);
        else reject(new Error(`${method} failed in a thread: ${JSON.stringify(error)}`));
      });
      this.#session.post("NodeWorker.sendMessageToWorker", { sessionId, message }).catch(reject);
    });
  }
}

async function evaluate(post: Post, expression: string): Promise<unknown> {
  const answer = (await post("Runtime.evaluate", { expression, returnByValue: true })) as {
    result: { value?: unknown };
    exceptionDetails?: { exception?: { description?: string } };
  };
  if (answer.exceptionDetails !== undefined) {
    throw new Error(
      `a thread could not be profiled: ${answer.exceptionDetails.exception?.description}`,
    );
  }
  return answer.result.value;
}
