import { Console } from "node:console";
import type { Io } from "../io.ts";

/**
 * Sends what handlers print with `console` to standard error, since standard output is for our data alone; gives the
 * way back. The console's own methods are replaced, so that `node:console` and copies made later go there too.
 */
export function consoleOnStderr({ stderr }: Pick<Io, "stderr">): () => void {
  const before = { ...globalThis.console };
  Object.assign(globalThis.console, new Console({ stdout: stderr, stderr }));
  return () => void Object.assign(globalThis.console, before);
}
