import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { root } from "../docs/markdown.ts";
import { SECRET } from "../receiver/sample.ts";
import type { Place } from "./place.ts";

/** The built package. */
export const DIST = join(root, "dist");

/** Options of a receiver process. */
export interface ReceiverSetup {
  /** 0 for a free one. */
  readonly port?: number;
  /** Options of `createReceiver` that JSON can represent. */
  readonly options?: object;
}

/** A receiver in a child process, on a place's inbox; killed with the test. */
export class ReceiverProcess {
  /** Resolves with its port once it accepts deliveries. */
  readonly ready: Promise<number>;
  /** Resolves once its writer thread has started. */
  readonly threaded: Promise<void>;
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;

  constructor(place: Place, { port = 0, options = {} }: ReceiverSetup = {}) {
    if (!existsSync(join(DIST, "inbox-writer.js")))
      throw new Error("expected dist/ to be built: npm run build");
    const setup = { dist: DIST, inbox: place.inbox, effects: place.effects, port, options };
    this.#child = fork(join(import.meta.dirname, "children", "receiver.js"), {
      env: {
        PATH: process.env.PATH,
        HOOKPORTER_SECRET: SECRET,
        STRANGERS_RECEIVER: JSON.stringify(setup),
      },
      stdio: ["ignore", "ignore", place.logHandle, "ipc"],
    });
    this.#exited = once(this.#child, "exit");
    onTestFinished(() => void this.#child.kill("SIGKILL"));
    this.ready = this.#says("port").then(Number);
    this.threaded = this.#says("thread").then(() => {});
    // there may be no other listener
    for (const promise of [this.ready, this.threaded]) promise.catch(() => {});
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Opens the inbox a second time in that process, and closes it. */
  async openAndClose(path: string): Promise<void> {
    await this.#ask("openAndClose", path);
  }

  /** Its `receiver.ready`. */
  async isReady(): Promise<boolean> {
    return (await this.#ask("ready")) === true;
  }

  /** Stops or continues it, as a debugger or a frozen container does. */
  freeze(): void {
    this.#child.kill("SIGSTOP");
  }

  thaw(): void {
    this.#child.kill("SIGCONT");
  }

  /** Kills it without warning. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#exited;
  }

  /** Asks it to close its receiver and exit; resolves with its exit code. */
  async stop(): Promise<number | null> {
    this.#child.kill("SIGTERM");
    await this.#exited;
    return this.#child.exitCode;
  }

  #says(field: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const hear = (message: Readonly<Record<string, unknown>>) => {
        if (!(field in message)) return;
        this.#child.off("message", hear);
        resolve(message[field]);
      };
      this.#child.on("message", hear);
      void this.#exited.then(() => reject(new Error(`the receiver ended before it sent ${field}`)));
    });
  }

  /** One question at a time. */
  async #ask(name: string, given?: string): Promise<unknown> {
    const answered = this.#says("answer") as Promise<{ result?: unknown; error?: string }>;
    this.#child.send({ name, given });
    const { result, error } = await answered;
    if (error !== undefined) throw new Error(error);
    return result;
  }
}
