import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Entry } from "../../src/inbox/entry.ts";
import { sqliteInbox } from "../../src/inbox/sqlite.ts";
import { root } from "../docs/markdown.ts";
import { posting } from "../receiver/open.ts";
import { SECRET } from "../receiver/sample.ts";

const JITI = join(root, "node_modules", "jiti", "lib", "jiti-cli.mjs");

/** What the child's handler does; see `child.ts`. */
export type Behaviour = "end" | "hang" | "exit" | "stray" | "slow";

/** Starts a receiver with an inbox file in a child process; kills it with the test. */
export async function startChild(
  inbox: string,
  behaviour: Behaviour = "end",
  largestFile?: number,
) {
  const script = join(import.meta.dirname, "child.ts");
  const command = [process.execPath, JITI, script, inbox, ranFile(inbox), behaviour];
  // A limit on the file size, in blocks of 512 bytes, simulates a full disk: writes beyond it fail.
  const limited = ["sh", "-c", 'trap "" XFSZ; ulimit -f "$0" && exec "$@"', String(largestFile)];
  const [program = "", ...argv] = largestFile === undefined ? command : [...limited, ...command];
  const child: ChildProcess = spawn(program, argv, {
    env: { PATH: process.env.PATH, HOOKPORTER_SECRET: SECRET },
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const exited = once(child, "exit");
  const [line] = await Promise.race([
    once(child.stdout ?? child, "data"),
    exited.then(([code]) => Promise.reject(new Error(`the child ended with ${code}`))),
  ]);
  const url = new URL(String(line).trim());
  /** Ends it as `kill -9` does, or as a process manager does. */
  const end = async (signal: "SIGKILL" | "SIGTERM") => {
    child.kill(signal);
    await exited;
  };
  return { url, end, exited, pid: child.pid ?? 0, ...posting(url) };
}

/** The handler runs so far, from all processes of an inbox. */
export function runsOf(inbox: string): readonly { pid: number; id: string; attempt: number }[] {
  if (!existsSync(ranFile(inbox))) return [];
  const lines = readFileSync(ranFile(inbox), "utf8").split("\n").slice(0, -1);
  return lines.map((line) => {
    const [pid, id = "", attempt] = line.split(" ");
    return { pid: Number(pid), id, attempt: Number(attempt) };
  });
}

function ranFile(inbox: string): string {
  return `${inbox}.ran`;
}

/** All entries of a closed inbox. */
export async function entriesOf(path: string): Promise<readonly Entry[]> {
  const inbox = sqliteInbox(path);
  await inbox.open();
  try {
    return await inbox.list({});
  } finally {
    await inbox.close();
  }
}
