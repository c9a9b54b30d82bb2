import { spawn } from "node:child_process";

/**
 * Runs a program of Node's in the current folder, quietly, and ends it after a time. Resolves to
 * its exit code and all that it printed.
 */
export function runQuietly(name, argv, limit) {
  const child = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
    });
  }
  let stopped = false;
  const stop = () => {
    stopped = true;
    child.kill();
  };
  const timer = limit === undefined ? undefined : setTimeout(stop, limit);
  return new Promise((resolve) => {
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve({ name, code: stopped ? 1 : code, text, stopped });
    });
  });
}
