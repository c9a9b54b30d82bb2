import { Writable } from "node:stream";
import type { Io } from "../../../src/cli/io.ts";

/** Surroundings that collect what is printed, to both streams as one text. */
export function collected(terminal = false): { readonly io: Io; readonly text: () => string } {
  let text = "";
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      text += String(chunk);
      done();
    },
  });
  const io = {
    env: {},
    cwd: ".",
    stdin: process.stdin,
    stdout: stream,
    stderr: stream,
    exit: () => {},
    isTTY: { stdin: terminal, stdout: terminal, stderr: terminal },
    onSignal: () => () => {},
    onKeys: () => () => {},
    onBrokenOutput: () => {},
    onStray: () => () => {},
    onExitCall: () => () => {},
  };
  return { io, text: () => text };
}
