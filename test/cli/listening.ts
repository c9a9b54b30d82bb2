import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, onTestFinished, vi } from "vitest";
import { root } from "../docs/markdown.ts";
import { posting } from "../receiver/open.ts";
import { SECRET } from "../receiver/sample.ts";
import { asInShell, runCli, tempFolder } from "./fake-io.ts";

/** Time limit in milliseconds, generous for a busy machine. */
const PATIENCE = { timeout: 40_000, interval: 10 };

/** How to start `listen`. */
export interface ListeningOptions {
  readonly cwd?: string;
  /** Besides `PATH` and the secret. */
  readonly env?: Readonly<Record<string, string>>;
  /** The program. Default: the built one. */
  readonly bin?: string;
}

/** The built program's `listen --json` in a separate process, killed with the test. */
export function startListening(words: readonly string[], given: ListeningOptions = {}) {
  const { argv, options } = asInShell(words, given);
  const { cwd = tempFolder(), env, bin = join(root, "dist", "bin.js") } = options;
  const command = ["listen", "--port", "0", "--json", ...argv];
  const child = spawn(process.execPath, [bin, ...command], {
    cwd,
    env: { PATH: process.env.PATH, HOOKPORTER_SECRET: SECRET, ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stdout = "";
  let stderr = "";
  let line = "";
  const printed: Record<string, unknown>[] = [];
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    stdout += chunk;
    const lines = (line + chunk).split("\n");
    line = lines.pop() ?? "";
    printed.push(...lines.map((text) => JSON.parse(text)));
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk;
  });
  const ended = new Promise<number | string | null>((resolve) => {
    child.on("close", (code, signal) => resolve(code ?? signal));
  });
  const records = (type: string) => printed.filter((record) => record.type === type);
  /** Its tunnel records, once there are this many with a state. */
  const until = (state: string, count = 1) =>
    vi.waitFor(() => {
      const found = records("tunnel").filter((record) => record.state === state);
      expect(found.length, stdout + stderr).toBeGreaterThanOrEqual(count);
      return found;
    }, PATIENCE);
  /** Waits until it is ready; returns its addresses, which are the same without a tunnel. */
  const ready = () =>
    vi.waitFor(() => {
      const [record] = records("ready");
      expect(record, stdout + stderr).toBeDefined();
      const localUrl = new URL(String(record?.url));
      const publicUrl = new URL(String(record?.publicUrl ?? localUrl));
      return { publicUrl, localUrl, ...posting(publicUrl) };
    }, PATIENCE);
  /** Sends it an event, at its local address. */
  const trigger = async (...words: readonly string[]) => {
    const url = (await ready()).localUrl.href;
    const all = { HOOKPORTER_SECRET: SECRET, ...env };
    return runCli(["trigger", ...words, "--url", url], { cwd, env: all });
  };
  const said = (text: string | RegExp) =>
    vi.waitFor(() => expect(stdout + stderr).toMatch(text), PATIENCE);
  const pid = child.pid ?? 0;
  const output = () => stdout + stderr;
  return { child, pid, cwd, ended, records, until, ready, trigger, said, output };
}
