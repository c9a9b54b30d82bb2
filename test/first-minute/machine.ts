import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, vi } from "vitest";

/**
 * A new user's machine: an empty folder, an empty home and so an empty cache of npm. Both are gone
 * when the test ends.
 */
export interface NewMachine {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * What the network of this machine needs; nothing else of this user's environment is taken over.
 */
const KEPT = /^(?:SystemRoot|TEMP|TMP|.*(?:CERT|CAFILE|PROXY).*)$/i;

/** The Node that runs the tests, and its npm if it has one. */
const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);

export async function newMachine(): Promise<NewMachine> {
  const folder = mkdtempSync(join(tmpdir(), "hookporter-first-minute-"));
  const home = mkdtempSync(join(tmpdir(), "hookporter-first-home-"));
  onTestFinished(() => {
    for (const path of [folder, home])
      rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  });
  return {
    folder,
    env: {
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => KEPT.test(name))),
      PATH,
      HOME: home,
      npm_config_registry: await registry(),
      npm_config_yes: "true", // npx asks before it installs; the answer is one key
      NEXT_TELEMETRY_DISABLED: "1",
    },
  };
}

async function registry(): Promise<string> {
  return (await promisify(execFile)("npm", ["config", "get", "registry"])).stdout.trim();
}

/** The version of the npm that is measured. */
export async function npmVersion(): Promise<string> {
  return (await promisify(execFile)("npm", ["--version"], { env: { PATH } })).stdout.trim();
}

export interface Finished {
  readonly seconds: number;
  readonly output: string;
}

/** Runs a line as a shell does, and fails if the line fails. */
export async function type(
  { env }: NewMachine,
  cwd: string,
  line: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  const began = performance.now();
  try {
    const options = { cwd, env: { ...env, ...more }, maxBuffer: 64 * 1024 * 1024 };
    const { stdout, stderr } = await promisify(execFile)("sh", ["-c", line], options);
    return { seconds: since(began), output: `${stdout}${stderr}` };
  } catch (thrown) {
    const { stdout, stderr } = Object(thrown);
    throw new Error(`${line} failed: ${stdout}${stderr}`, { cause: thrown });
  }
}

/** A server that runs until the test ends, and what it has printed. */
export interface Running {
  /** From its start until it answers HTTP. */
  readonly seconds: number;
  readonly log: () => string;
}

export async function serve(
  { env }: NewMachine,
  cwd: string,
  line: string,
  url: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Running> {
  const began = performance.now();
  const server: ChildProcess = spawn("sh", ["-c", line], {
    cwd,
    env: { ...env, ...more },
    detached: true, // so that the processes that it starts can be ended with it
    stdio: "pipe",
  });
  const chunks: string[] = [];
  const log = () => chunks.join("");
  server.stdout?.on("data", (chunk) => chunks.push(String(chunk)));
  server.stderr?.on("data", (chunk) => chunks.push(String(chunk)));
  onTestFinished(() => endGroup(server));
  const answers = async () => {
    if (server.exitCode !== null) throw new Error(`${line} ended: ${log()}`);
    await fetch(url);
  };
  await vi.waitFor(answers, { timeout: 60_000, interval: 20 });
  return { seconds: since(began), log };
}

/**
 * Ends a server and all that it started, and waits for the last of them, which may still write
 * files.
 */
async function endGroup({ pid }: ChildProcess): Promise<void> {
  if (pid === undefined) return;
  const lives = () => {
    try {
      return process.kill(-pid, 0);
    } catch {
      return false;
    }
  };
  if (lives()) process.kill(-pid, "SIGTERM");
  await vi.waitFor(() => expect(lives()).toBe(false), { timeout: 30_000, interval: 50 });
}

/** Waits until a server has printed a text; returns how long it took since `began`. */
export async function printed({ log }: Running, text: string, began: number): Promise<number> {
  await vi.waitFor(() => {
    if (!log().includes(text)) throw new Error(`expected ${text} to be printed, got ${log()}`);
  }, 30_000);
  return since(began);
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

function since(began: number): number {
  return (performance.now() - began) / 1000;
}
