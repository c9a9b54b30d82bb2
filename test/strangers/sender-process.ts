import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { SECRET } from "../receiver/sample.ts";
import type { Place } from "./place.ts";

/** Options of a sender. */
export interface SenderSetup {
  /** The ports of local receivers, used in turn. */
  readonly ports: readonly number[];
  /** Concurrent deliveries: 16 are enough for the receiver's writer thread to start. */
  readonly connections?: number;
  /** Average milliseconds that a connection pauses after an answer. */
  readonly pause?: number;
}

/** A process that sends until told to stop, and records each answer; killed with the test. */
export class SenderProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;

  constructor({ answers }: Place, { ports, connections = 24, pause = 8 }: SenderSetup) {
    const setup = { ports, connections, pause, answers, prefix: `strangers-${Date.now()}` };
    this.#child = fork(join(import.meta.dirname, "children", "sender.js"), {
      env: {
        PATH: process.env.PATH,
        HOOKPORTER_SECRET: SECRET,
        STRANGERS_SENDER: JSON.stringify(setup),
      },
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.#exited = once(this.#child, "exit");
    onTestFinished(() => void this.#child.kill("SIGKILL"));
  }

  /** Stops it; resolves with true if all deliveries were finally answered 200. */
  async stop(): Promise<boolean> {
    if (this.#child.exitCode === null) this.#child.send("stop");
    await this.#exited;
    return this.#child.exitCode === 0;
  }
}
