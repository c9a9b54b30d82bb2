import type { Io, StopSignal } from "./io.ts";

/** This process's own surroundings. */
export function processIo(): Io {
  const { env, stdin, stdout, stderr } = process;
  // Whoever reads our output may stop reading (`| head`): that is not our failure.
  for (const stream of [stdout, stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit(0);
      throw error;
    });
  }
  return {
    ...{ env, stdin, stdout, stderr, cwd: process.cwd() },
    isTTY: { stdin: stdin.isTTY === true, stdout: stdout.isTTY === true, stderr: stderr.isTTY === true },
    exit: (code) => process.exit(code),
    onSignal: (listener) => {
      const signals: StopSignal[] = ["SIGINT", "SIGTERM"];
      for (const signal of signals) process.on(signal, listener);
      return () => {
        for (const signal of signals) process.off(signal, listener);
      };
    },
    onStray: (listener) => {
      const tell = (thrown: unknown) => listener(thrown);
      process.on("uncaughtException", tell).on("unhandledRejection", tell);
      return () => void process.off("uncaughtException", tell).off("unhandledRejection", tell);
    },
  };
}

/** Ends the process once its output is written, whatever handlers have left running: a timer, a pool of connections. */
export function endProcess(code: number): void {
  process.exitCode = code;
  process.stdout.write("", () => process.stderr.write("", () => process.exit()));
}
