import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { findPackageRoot } from "../../../base/package/package-root.ts";
import type { Scratch } from "./scratch.ts";

/**
 * Ends a receiver with the process that drills it, however that ends; and asks it to stop, which
 * Windows has no signal for.
 */
const FOLLOWS_PARENT =
  'data:text/javascript,process.stdin.on("data",()=>process.emit("SIGTERM","SIGTERM")).on("end",()=>process.exit())';
/** Milliseconds that a receiver may take to start, and to stop. */
const PATIENCE = 20_000;
/** How much of what a receiver says of its end is told. */
const LAST_WORDS = 2000;

/** One process of `listen`, as users start it. */
export class DrilledReceiver {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  #said = "";

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#exited = once(child, "exit");
    child.stderr?.on("data", (chunk: Buffer) => {
      this.#said = (this.#said + chunk.toString("utf8")).slice(-LAST_WORDS);
    });
  }

  static async start(
    { folder, inbox, handlers }: Scratch,
    secret: string,
    env: Readonly<Record<string, string | undefined>>,
  ): Promise<DrilledReceiver> {
    const program = join((await findPackageRoot()).path, "dist", "bin.js");
    const argv = [`--import=${FOLLOWS_PARENT}`, program, "listen", "--json", "--port", "0"];
    // The user's own settings of `listen` would lead elsewhere.
    const others = Object.entries(env).filter(([name]) => !name.startsWith("HOOKPORTER_"));
    const child = spawn(process.execPath, [...argv, "--handlers", handlers], {
      cwd: folder,
      env: { ...Object.fromEntries(others), HOOKPORTER_SECRET: secret, HOOKPORTER_INBOX: inbox },
      stdio: ["pipe", "pipe", "pipe"],
    });
    return new DrilledReceiver(child);
  }

  /**
   * Resolves with its URL once deliveries can arrive. Throws an error with what it said if it ends
   * before; it is ended if it takes too long.
   */
  async ready(): Promise<URL> {
    const { stdout } = this.#child;
    if (stdout === null) throw new TypeError("expected a pipe");
    const late = setTimeout(() => this.#child.kill("SIGKILL"), PATIENCE);
    try {
      for await (const line of createInterface({ input: stdout })) {
        const { type, url } = JSON.parse(line);
        if (type !== "ready") continue;
        stdout.resume(); // a process whose output is not read waits
        return new URL(url);
      }
    } finally {
      clearTimeout(late);
    }
    throw new Error(`expected a receiver to start, but it ended: ${this.#said.trim()}`);
  }

  /** Kills it without warning, as a power cut or the kernel does. */
  async kill(): Promise<void> {
    if (this.isRunning) this.#child.kill("SIGKILL");
    if (this.isRunning) await this.#exited;
  }

  /** Asks it to stop, as systemd and containers do. */
  async stop(): Promise<void> {
    const late = setTimeout(() => this.#child.kill("SIGKILL"), PATIENCE);
    this.#child.stdin?.write("stop\n");
    if (this.isRunning) await this.#exited;
    clearTimeout(late);
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }
}
