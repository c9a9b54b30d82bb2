import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { root } from "../docs/markdown.ts";
import { posting } from "../receiver/open.ts";
import { freshEnvelope, inboxFile, SECRET } from "../receiver/sample.ts";

const JITI = join(root, "node_modules", "jiti", "lib", "jiti-cli.mjs");

/** Starts a script of this folder in a child process, which ends with the test. */
function startScript(script: string, argv: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [JITI, join(import.meta.dirname, script), ...argv], {
    env: { PATH: process.env.PATH, HOOKPORTER_SECRET: SECRET },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

const nextMessage = async (child: ChildProcess): Promise<unknown> =>
  (await once(child, "message"))[0];

/** Starts a server to flood; for the kinds see `flood-server.ts`. */
export async function startTarget(kind: "ours" | "bare") {
  const child = startScript("flood-server.ts", [kind, kind === "bare" ? "" : inboxFile()]);
  const url = new URL(String(await nextMessage(child)));
  const { post } = posting(url);
  return {
    /** Bytes of memory now, and the highest so far. */
    memory: async () => {
      child.send("measure");
      return (await nextMessage(child)) as { readonly rss: number; readonly most: number };
    },
    url,
    post,
    end: () => void child.kill("SIGKILL"),
  };
}

/** A flood sends `text` and then `bytes` spaces on each of its connections. */
export interface Flood {
  readonly connections: number;
  readonly text?: string;
  readonly bytes?: number;
}

/** Prepares a flood; returns functions that start and end it. */
export async function prepareFlood(url: URL, { connections, text = "", bytes = 0 }: Flood) {
  const child = startScript("flood-sender.ts", [
    url.port,
    String(connections),
    String(bytes),
    text,
  ]);
  await nextMessage(child);
  return { begin: () => void child.send("begin"), end: () => void child.kill("SIGKILL") };
}

/**
 * Sends honest deliveries of 600 bytes one after another, expects 200 for each, and returns the
 * longest response time.
 */
export async function honestFor(ms: number, post: ReturnType<typeof posting>["post"]) {
  const answers: number[] = [];
  let slowest = 0;
  const until = performance.now() + ms;
  while (performance.now() < until || answers.length < 5) {
    const start = performance.now();
    const data = { id: `${Math.random()}`, text: "x".repeat(430) };
    answers.push((await post(freshEnvelope({ timestamp: new Date().toISOString(), data }))).status);
    slowest = Math.max(slowest, performance.now() - start);
  }
  expect(new Set(answers)).toEqual(new Set([200]));
  return { slowest, count: answers.length };
}
