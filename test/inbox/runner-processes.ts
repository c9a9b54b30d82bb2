import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";

const CHILD = join(import.meta.dirname, "children", "runner.js");

/** A lease longer than any test: an entry that runs sooner did not wait for it. */
export const LONG_LEASE = 600_000;

export interface RunnerTerms {
  readonly handlerMs?: number;
  readonly leaseTime?: number;
}

/**
 * Receivers in processes of their own, which are killed with the test.
 *
 * @param ran - the path of a file in which they note the runs of their handlers
 */
export function runnerProcesses(inbox: string, ran: string) {
  const start = async ({ handlerMs = 0, leaseTime = LONG_LEASE }: RunnerTerms = {}) => {
    const argv = [inbox, ran, String(handlerMs), String(leaseTime)];
    const child = fork(CHILD, argv, { stdio: "ignore" });
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child, "message");
    return child;
  };
  /** The handler runs so far. */
  const runs = () => {
    if (!existsSync(ran)) return [];
    // complete lines only: the file exists before its first line
    const lines = readFileSync(ran, "utf8").split("\n").slice(0, -1);
    return lines.map((line) => {
      const [pid = 0, , n = 0, attempt = 0, at = 0] = line.split(" ").map(Number);
      return { pid, n, attempt, at };
    });
  };
  return { start, runs };
}

/** Makes a process store an event. */
export async function send(child: ChildProcess, n: number): Promise<void> {
  child.send(n);
  const [answer] = await once(child, "message");
  expect(answer).toEqual({ n, type: "accepted" });
}

export async function kill(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}
