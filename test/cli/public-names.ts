import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Public names that lead to ports of this machine, for a program that is started with this
 * environment.
 */
export function publicNames(folder: string) {
  const names = join(folder, "names");
  mkdirSync(names, { recursive: true });
  const preload = pathToFileURL(join(import.meta.dirname, "public-names.mjs"));
  return {
    env: { NODE_OPTIONS: `--import ${preload}`, TEST_PUBLIC_NAMES: names },
    /** Makes a host name lead to a port. */
    lead: (host: string, port: number) => writeFileSync(join(names, host), String(port)),
  };
}
