import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * A program that is built beside this one; `undefined` if the source is run as it is, or a bundler took this file to a
 * place that has no address, or not the program beside it.
 */
export function besideThisFile(name: string): string | undefined {
  try {
    const path = fileURLToPath(new URL(`./${name}`, import.meta.url));
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}
