import { Writable } from "node:stream";
import { onTestFinished, vi } from "vitest";
import type { Io } from "../../../src/cli/io.ts";
import { StatusBar } from "../../../src/cli/live/status-bar.ts";
import { createOutput } from "../../../src/cli/output.ts";

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

/**
 * The output of a command with the line at its bottom, and the lines that it printed without their
 * times. Time stands still unless the test moves it.
 */
export function outputUnderClock({ terminal = false, json = false } = {}) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { io, text } = collected(terminal);
  const output = createOutput(io, { json, color: false, clock: Date.now });
  const lines = () => {
    const printed = text().split("\n");
    return printed.filter((line) => line !== "").map((line) => line.replace(/^\S+ {2}/, ""));
  };
  return { output, bar: new StatusBar(output), text, lines };
}
