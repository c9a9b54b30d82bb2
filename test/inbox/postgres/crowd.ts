import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { sign } from "../../../src/entries/index.ts";
import type { Cause, Disturbance } from "./drill/causes.ts";

const PROGRAM = join(import.meta.dirname, "children", "receiver.js");
const SECRET = "a-secret-made-up-for-the-drill";
/**
 * Milliseconds within which a process starts, however often it must try since the server is away.
 */
const START_TIMEOUT = 30_000;
const START = Date.now() - 3_600_000;

/** What a process of the drill is: its role, and whether its handler is in a transaction. */
export interface Terms {
  readonly role: "receive" | "run" | "both";
  readonly url: string;
  /** A direct connection, if the URL leads to a pooler. */
  readonly listenUrl?: string;
}

/** What all processes have in common; `lease` is in milliseconds. */
interface Common {
  readonly schema: string;
  readonly tx: boolean;
  readonly lease?: number;
  /** A folder in which each process notes the runs of its handler, in a file of its name. */
  readonly notes?: string;
}

/** The delivery of an event; every third event has an order key. */
function deliveryOf(number: number) {
  const timestamp = new Date(START + number).toISOString();
  const data = { number, ...(number % 3 === 0 && { key: `key_${number % 5}` }) };
  const webhook = { id: "wh_1", url: "https://app.example/webhooks" };
  const body = Buffer.from(JSON.stringify({ event: "payment.received", timestamp, data, webhook }));
  const headers = { "x-service-signature": sign(body, SECRET) };
  return { method: "POST", target: "/webhooks", headers, body: body.toString("base64") };
}

/** Processes that share an inbox; a killed one is replaced. */
export class Crowd {
  /** How often each event was accepted, and how often as a new one. */
  readonly answered = new Map<number, { accepted: number; fresh: number }>();
  /** How often the processes logged each warning or error. */
  readonly logged = new Map<string, number>();
  /** What was done to processes, each by its name: its place, and how many were there before it. */
  readonly disturbances: Disturbance[] = [];
  /** Processes that ended though they were not killed, with their last words. */
  readonly died: string[] = [];
  readonly #terms: readonly Terms[];
  readonly #common: Common;
  readonly #children: (ChildProcess | undefined)[] = [];
  readonly #names: string[] = [];
  #started = 0;

  constructor(terms: readonly Terms[], common: Common) {
    this.#terms = terms;
    this.#common = common;
  }

  /** How many processes there are. */
  get size(): number {
    return this.#terms.length;
  }

  async startAll(): Promise<void> {
    await Promise.all(this.#terms.map((_, index) => this.#start(index)));
  }

  /** Starts a process. One that cannot start, since the server is away, is started again. */
  async #start(index: number): Promise<void> {
    const until = Date.now() + START_TIMEOUT;
    for (let isLast = false; ; isLast = Date.now() > until) {
      const name = `${index}.${this.#started++}`;
      const child = fork(
        PROGRAM,
        [JSON.stringify({ ...this.#terms[index], ...this.#common, name })],
        {
          stdio: ["ignore", "ignore", "pipe", "ipc"],
        },
      );
      let words = "";
      child.stderr?.on("data", (chunk) => {
        words = `${words}${chunk}`.slice(-1000);
      });
      const started = await new Promise((resolve) => {
        child.once("message", () => resolve(true));
        child.once("exit", () => resolve(false));
      });
      if (started === false) {
        if (isLast) throw new Error(`expected a process of the drill to start: ${words}`);
        continue;
      }
      child.on("message", ({ number, type, duplicate, logged }: Answer) => {
        if (logged !== undefined) this.logged.set(logged, (this.logged.get(logged) ?? 0) + 1);
        if (type !== "accepted") return;
        const { accepted, fresh } = this.answered.get(number) ?? { accepted: 0, fresh: 0 };
        this.answered.set(number, { accepted: accepted + 1, fresh: fresh + (duplicate ? 0 : 1) });
      });
      child.once("exit", (code) => {
        if (this.#children[index] === child) this.died.push(`${name}, code ${code}: ${words}`);
      });
      child.on("error", () => {}); // a message to a process that was just killed
      this.#children[index] = child;
      this.#names[index] = name;
      return;
    }
  }

  send(index: number, number: number): void {
    const child = this.#children[index];
    if (child?.connected === true) child.send({ number, delivery: deliveryOf(number) }, () => {});
  }

  /** Pauses a process for a while. */
  async freeze(index: number, ms: number): Promise<void> {
    const child = this.#children[index];
    const note = this.#note("freeze past the lease", index);
    child?.kill("SIGSTOP");
    await new Promise((resolve) => setTimeout(resolve, ms));
    child?.kill("SIGCONT");
    note();
  }

  /** Kills a process, and starts its successor. */
  async replace(index: number): Promise<void> {
    await this.#kill(index);
    await this.#start(index);
  }

  /** Begins to note what is done to a process; returns what ends that. */
  #note(cause: Cause, index: number): () => void {
    const name = this.#names[index];
    const from = Date.now();
    return () => {
      this.disturbances.push({
        cause,
        from,
        to: Date.now(),
        reaches: (process) => process === name,
      });
    };
  }

  async killAll(): Promise<void> {
    await Promise.all(this.#terms.map((_, index) => this.#kill(index)));
  }

  async #kill(index: number): Promise<void> {
    const child = this.#children[index];
    this.#children[index] = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    const note = this.#note("kill", index);
    child.kill("SIGKILL");
    await ended;
    note();
  }
}

/** A process's answer to a delivery. */
interface Answer {
  readonly number: number;
  readonly type: string;
  readonly duplicate: boolean;
  readonly logged?: string;
}
