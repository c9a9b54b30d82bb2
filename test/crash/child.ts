import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";

/** A child process of the harness that ends when its standard input does. */
export class Child {
  readonly #process: ChildProcess;
  readonly #exited: Promise<unknown>;

  constructor(script: string, env: Readonly<Record<string, string>>, log: number) {
    const { PATH } = process.env;
    const file = join(import.meta.dirname, "children", script);
    this.#process = spawn(process.execPath, [file], {
      env: { PATH, ...env },
      stdio: ["pipe", "pipe", log],
    });
    this.#exited = once(this.#process, "exit");
  }

  /** Its first output. */
  async says(): Promise<string> {
    const { stdout } = this.#process;
    if (stdout === null) throw new Error("it has no standard output");
    const [chunk] = await Promise.race([
      once(stdout, "data"),
      this.#exited.then(() => ["it ended"]),
    ]);
    return String(chunk).trim();
  }

  /** Ends its standard input; resolves with its exit code. */
  async end(): Promise<number | null> {
    this.#process.stdin?.end();
    await this.#exited;
    return this.#process.exitCode;
  }

  kill(): void {
    this.#process.kill("SIGKILL");
  }
}

/** A free port, below the range of outgoing connections. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const server = createServer().listen(port, "127.0.0.1");
    const free = await Promise.race([
      once(server, "listening").then(() => true),
      new Promise<false>((resolve) => server.once("error", () => resolve(false))),
    ]).catch(() => false);
    if (!free) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
