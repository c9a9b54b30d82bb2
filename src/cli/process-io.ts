import type { Io, StopSignal } from "./io.ts";

/** This process's own surroundings. */
export function processIo(): Io {
  const { env, stdin, stdout, stderr } = process;
  // Whoever reads our output may stop reading (`| head`): that is not our failure.
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
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
  };
}
