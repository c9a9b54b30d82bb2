import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * The path of a program in `dist/`, such as the writer thread; `undefined` if the source runs unbuilt, or if a bundler
 * moved this file away from the program.
 */
export function builtProgram(name: string): string | undefined {
  try {
    const path = fileURLToPath(new URL(`./${name}`, import.meta.url));
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}
