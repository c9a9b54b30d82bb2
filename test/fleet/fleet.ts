import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../docs/markdown.ts";
import type { Balancer } from "./balancer.ts";

const EXAMPLE = join(root, "examples", "fleet");
/** Milliseconds that a leaving receiver waits for the balancer, which is told at once here. */
const NOTICE = 300;

/** A process of the example. */
interface Member {
  readonly child: ChildProcess;
  readonly port: number;
}

/** The processes of the example on one database, behind a balancer. */
export class Fleet {
  readonly #env: NodeJS.ProcessEnv;
  readonly #balancer: Balancer;
  /** A copy of the example, with what it needs installed. */
  readonly #folder = mkdtempSync(join(tmpdir(), "hookporter-fleet-"));
  readonly #members = new Map<string, Member>();

  constructor(env: NodeJS.ProcessEnv, balancer: Balancer) {
    this.#env = env;
    this.#balancer = balancer;
    cpSync(EXAMPLE, this.#folder, { recursive: true });
    const packages = join(this.#folder, "node_modules");
    mkdirSync(packages);
    symlinkSync(root, join(packages, "hookporter"), "junction");
    symlinkSync(join(root, "node_modules", "pg"), join(packages, "pg"), "junction");
  }

  /** Starts a process; a receiver joins the balancer once it is ready. Returns its port. */
  async start(name: string): Promise<number> {
    const role = name.startsWith("receiver") ? "receive" : "run";
    const env = {
      ...process.env,
      ...this.#env,
      ROLE: role,
      HOST: "127.0.0.1",
      PORT: "0",
      NOTICE_MS: `${NOTICE}`,
    };
    const child = spawn(process.execPath, [join(this.#folder, "server.js")], {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const port = await new Promise<number>((resolve, reject) => {
      child.stdout.on("data", (line) => resolve(Number(/listening on (\d+)/.exec(`${line}`)?.[1])));
      child.once("exit", (code) =>
        reject(new Error(`expected ${name} to start, but it ended with ${code}`)),
      );
    });
    this.#members.set(name, { child, port });
    if (role === "receive") this.#balancer.add(port);
    return port;
  }

  /**
   * Asks a process to end, and returns its exit code. A receiver leaves the balancer as soon as it
   * is not ready.
   */
  async stop(name: string): Promise<number | null> {
    const member = this.#members.get(name);
    if (member === undefined) throw new Error(`expected ${name} to run`);
    const { child, port } = member;
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    if (name.startsWith("receiver")) {
      while ((await fetch(`http://127.0.0.1:${port}/ready`)).ok)
        await new Promise((next) => setTimeout(next, 10));
      this.#balancer.remove(port);
    }
    this.#members.delete(name);
    return ended;
  }

  /** Ends all that still run, at once. */
  killAll(): void {
    for (const { child } of this.#members.values()) child.kill("SIGKILL");
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
