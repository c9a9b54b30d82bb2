import { spawn } from "node:child_process";

/**
 * Milliseconds until a command must have ended, and from its first output on standard error until
 * it is interrupted with SIGINT.
 */
export interface Times {
  readonly timeout: number;
  readonly interruptMs?: number;
}

/** Runs a command and returns its standard output; rejects if it fails or takes too long. */
export function runCommand(
  command: readonly [string, ...string[]],
  { timeout, interruptMs }: Times,
): Promise<string> {
  const [program, ...argv] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, argv, { stdio: ["ignore", "pipe", "pipe"], timeout: timeout });
    let interrupt: NodeJS.Timeout | undefined;
    if (interruptMs !== undefined) {
      child.stderr.once("data", () => {
        interrupt = setTimeout(() => child.kill("SIGINT"), interruptMs);
      });
    }
    const out: Buffer[] = [];
    const error: Buffer[] = [];
    child.stdout.on("data", (chunk) => out.push(chunk));
    child.stderr.on("data", (chunk) => error.push(chunk));
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(interrupt);
      const told = Buffer.concat(error).toString("utf8").slice(-2000);
      if (code === 0) resolve(Buffer.concat(out).toString("utf8"));
      else reject(new Error(`${command.join(" ").slice(0, 300)} ended with ${code}: ${told}`));
    });
  });
}
