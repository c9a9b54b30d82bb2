import { Console } from "node:console";
import type { Io } from "../io.ts";

/**
 * Redirects what handlers print with `console` to standard error, since standard output is only for our data; returns a
 * restore function. Replaces the console's own methods, so that `node:console` and later copies are redirected too.
 */
export function consoleOnStderr({ stderr }: Pick<Io, "stderr">): () => void {
  const before = { ...globalThis.console };
  Object.assign(globalThis.console, new Console({ stdout: stderr, stderr }));
  return () => void Object.assign(globalThis.console, before);
}
