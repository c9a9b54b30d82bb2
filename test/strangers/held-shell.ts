import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";

/** A sqlite3 shell left open in the middle of a transaction; ended with the test. */
export class HeldShell {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#exited = once(child, "exit");
    onTestFinished(() => void child.kill("SIGKILL"));
  }

  /** Opens it; resolves when the statements have run. */
  static async open(database: string, ...statements: readonly string[]): Promise<HeldShell> {
    const child = spawn("sqlite3", ["-batch", "-bail", "-cmd", ".timeout 10000", database], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const held = new HeldShell(child);
    child.stdin.write(`${statements.join(";\n")};\nSELECT 'held';\n`);
    for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
      if (String(chunk).includes("held")) return held;
    }
    throw new Error("the shell ended");
  }

  /** Ends it as Ctrl-D does, which rolls back its transaction. */
  async close(): Promise<void> {
    this.#child.stdin?.end();
    await this.#exited;
  }
}
