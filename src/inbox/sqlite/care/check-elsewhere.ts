import { spawn } from "node:child_process";
import { builtProgram } from "../thread/built-program.ts";
import type { FileReport } from "./check-file.ts";

/**
 * Starts a check of a file, and later calls back with its report, or with none if the check failed.
 * Returns what ends it without a report; `undefined` if no check can be started.
 */
export function checkElsewhere(path: string, done: (report: FileReport | undefined) => void) {
  return runElsewhere([path], (code, text) => done(code === 0 ? JSON.parse(text) : undefined));
}

/**
 * The error that the disk reports when an inbox file is read; `undefined` if it reports none, or no
 * process can be started.
 */
export function diskErrorElsewhere(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const end = runElsewhere([path, "disk"], (_, text) => resolve(text === "" ? undefined : text));
    if (end === undefined) resolve(undefined);
  });
}

/**
 * Runs the program that checks files, and calls back with its exit code and its output. Returns
 * what ends it, without a call unless `isTold`; `undefined` if the program is not there, as when
 * the source runs unbuilt.
 */
export function runElsewhere(
  argv: readonly string[],
  done: (code: number | null, text: string) => void,
) {
  const program = builtProgram("inbox-check.js");
  if (program?.exists !== true) return undefined;
  const child = spawn(process.execPath, [program.path, ...argv], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  child.on("error", () => {}); // the end follows
  const close = (code: number | null) => done(code, text);
  child.on("close", close);
  child.unref();
  return (isReported = false) => {
    if (!isReported) child.off("close", close);
    child.kill("SIGKILL");
  };
}
