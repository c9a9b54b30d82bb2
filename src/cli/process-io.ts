import { describeError } from "../base/errors.ts";
import { FRAME, placePath } from "../base/system/paths.ts";
import { tryOr } from "../base/try-or.ts";
import type { BrokenOutput, Io } from "./io.ts";
import { canSuspend, onStopSignal } from "./signals.ts";

/** Milliseconds that the end of the process waits for a reader of its output. */
const MAX_WRITING = 1000;

export function processIo(): Io {
  const { env, stdin, stdout, stderr } = process;
  let ours = false;
  const exit = (code: number) => {
    ours = true;
    process.exit(code);
  };
  const broken = new Set<string>();
  let onBroken: ((broken: BrokenOutput) => void) | undefined;
  const lose = (name: BrokenOutput["name"]) => (error: NodeJS.ErrnoException) => {
    if (broken.has(name)) return; // each write fails again
    broken.add(name);
    if (onBroken !== undefined) onBroken({ name, error });
    else if (name === "standard error")
      return; // the data is what counts
    else if (error.code === "EPIPE")
      exit(0); // its reader has enough, such as `head`
    else {
      stderr.write(
        `error: expected to write to standard output, got ${describeError(error)}: check where it goes\n`,
      );
      exit(1);
    }
  };
  stdout.on("error", lose("standard output"));
  stderr.on("error", lose("standard error"));
  return {
    env,
    stdin,
    stdout,
    stderr,
    cwd: tryOr(() => process.cwd(), ""), // empty if it was removed while a shell was in it
    isTTY: {
      stdin: stdin.isTTY === true,
      stdout: stdout.isTTY === true,
      stderr: stderr.isTTY === true,
    },
    exit,
    onSignal: onStopSignal,
    onKeys: (listener) => onKeys(stdin, listener),
    onBrokenOutput: (listener) => {
      onBroken = listener;
    },
    onStray: (listener) => {
      const forward = (thrown: unknown) => listener(thrown);
      process.on("uncaughtException", forward).on("unhandledRejection", forward);
      return () =>
        void process.off("uncaughtException", forward).off("unhandledRejection", forward);
    },
    onExitCall: (listener) => {
      const forward = (code: number) => {
        const caller = ours ? undefined : callerOfExit();
        if (caller !== undefined) process.exitCode = listener({ code, at: caller.at });
      };
      process.on("exit", forward);
      return () => void process.off("exit", forward);
    },
  };
}

/**
 * Finds the caller of `process.exit` while its listeners run; returns `undefined` if the process
 * ends for another reason. The listeners run inside the call, so it is on the stack.
 */
function callerOfExit(): { readonly at: string | undefined } | undefined {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 50;
  const frames = String(new Error().stack).split("\n");
  Error.stackTraceLimit = limit;
  const exit = frames.findIndex((frame) => /\bprocess\.exit\b/.test(frame));
  if (exit === -1) return undefined;
  const [, , place = "", line] = FRAME.exec(frames[exit + 1] ?? "") ?? [];
  const path = placePath(place);
  return { at: path && `${path}:${line}` };
}

/**
 * A terminal in raw mode turns no keys into signals, so this does what they would do. Ctrl-C calls
 * the signal's listeners, since Windows ends a process that sends itself one. Ctrl-Z stops the
 * whole job, as the terminal would: if it stopped this process alone, `npx` would stay in the
 * foreground and the shell would never prompt.
 */
function onKeys(stdin: NodeJS.ReadStream, listener: (key: string) => void): () => void {
  const raw = () => void stdin.setRawMode(true);
  const onData = (chunk: Buffer) => {
    const text = chunk.toString("utf8");
    if (text.length > 1 && text.startsWith("\u001b")) {
      listener(text); // an arrow or a function key
      return;
    }
    for (const key of text) {
      if (key === "\u0003") process.emit("SIGINT", "SIGINT") || process.exit(130);
      else if (key !== "\u001a") listener(key);
      else if (canSuspend()) {
        stdin.setRawMode(false);
        process.kill(0, "SIGTSTP");
      }
    }
  };
  raw();
  process.on("SIGCONT", raw);
  stdin.on("data", onData).resume();
  return () => {
    process.off("SIGCONT", raw);
    stdin.off("data", onData).pause();
    stdin.setRawMode(false);
  };
}

/**
 * Ends the process once its output is written, even if handlers left a timer or a connection pool
 * running, or if nobody reads the output.
 */
export function endProcess(code: number): void {
  process.exitCode = code;
  setTimeout(() => process.exit(), MAX_WRITING).unref();
  // The error of a failed write is reported only after its callback.
  process.stdout.write("", () =>
    process.stderr.write("", () => setImmediate(() => process.exit())),
  );
}
