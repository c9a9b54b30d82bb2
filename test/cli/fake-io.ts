import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { onTestFinished } from "vitest";
import type { Io, StopSignal } from "../../src/cli/io.ts";
import { run } from "../../src/cli/main.ts";

/** The result of a command. */
export interface CliRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as NDJSON. */
  readonly records: readonly Record<string, unknown>[];
  /** What it said: its messages, and with `--json` the message of its error. */
  readonly said: string;
}

/** How to run a command in this process. */
export interface FakeIoOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array;
  readonly isTTY?: Partial<Io["isTTY"]>;
}

/** A folder that is removed with the test. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "hookporter-cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * The words of a command line, of which those such as `HOOKPORTER_DELAY=1s` are variables, as in a
 * shell.
 */
export function asInShell<Options extends FakeIoOptions>(
  words: readonly string[],
  options: Options,
) {
  const isVariable = (word: string) => /^HOOKPORTER_[A-Z_]+=/.test(word);
  const variables = words.filter(isVariable).map((word) => {
    const at = word.indexOf("=");
    return [word.slice(0, at), word.slice(at + 1)];
  });
  return {
    argv: words.filter((word) => !isVariable(word)),
    options: { ...options, env: { ...options.env, ...Object.fromEntries(variables) } },
  };
}

/** Runs a command line in this process with the test's streams. */
export async function runCli(words: readonly string[], given: FakeIoOptions = {}): Promise<CliRun> {
  const { argv, options } = asInShell(words, given);
  const { io, stdout, stderr } = fakeIo(options);
  const code = await run(argv, io);
  return result(code, stdout(), stderr());
}

/**
 * Starts a command that keeps running; `signal` stops it as Ctrl-C would, `press` presses keys on a
 * terminal.
 */
export function startCli(words: readonly string[], given: FakeIoOptions = {}) {
  const { argv, options } = asInShell(words, given);
  const { io, stdout, stderr, signal, press } = fakeIo(options);
  const finished = run(argv, io).then((code) => result(code, stdout(), stderr()));
  return { finished, signal, press, now: () => result(-1, stdout(), stderr()) };
}

function result(code: number, stdout: string, stderr: string): CliRun {
  return {
    code,
    stdout,
    stderr,
    get records() {
      return stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
    },
    get said() {
      if (!stdout.startsWith("{")) return stderr;
      const errors = this.records.filter(({ type }) => type === "error");
      return `${stderr}${errors.map(({ message }) => `error: ${message}\n`).join("")}`;
    },
  };
}

/** The streams, signals and keys of a test. */
export function fakeIo({ cwd = tempFolder(), env = {}, stdin = "", isTTY = {} }: FakeIoOptions) {
  const stdout = collector();
  const stderr = collector();
  const listeners = new Set<(signal: StopSignal) => void>();
  const keyListeners = new Set<(key: string) => void>();
  const io: Io = {
    cwd,
    env,
    stdout: stdout.stream,
    stderr: stderr.stream,
    stdin: Readable.from([Buffer.from(stdin)]),
    isTTY: { stdin: false, stdout: false, stderr: false, ...isTTY },
    exit: () => {},
    onSignal: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onKeys: (listener) => {
      keyListeners.add(listener);
      return () => keyListeners.delete(listener);
    },
    onBrokenOutput: () => {},
    onStray: () => () => {},
    onExitCall: () => () => {},
  };
  const signal = (name: StopSignal) => {
    for (const listener of listeners) listener(name);
  };
  const press = (keys: string) => {
    const pressed = keys.startsWith("\u001b") ? [keys] : keys; // an arrow is one key
    for (const key of pressed) for (const listener of keyListeners) listener(key);
  };
  return { io, stdout: stdout.text, stderr: stderr.text, signal, press };
}

function collector() {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString("utf8") };
}
