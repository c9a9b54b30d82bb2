import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * The file URL that this package's code runs from. A bundle in CommonJS form may have none; the address of the program
 * that runs is used for it, as the bundle usually is that program.
 */
export function ownAddress(): string {
  const address: unknown = import.meta.url;
  return typeof address === "string"
    ? address
    : pathToFileURL(process.argv[1] ?? join(process.cwd(), "program.js")).href;
}

/** Loads an installed package when it is first needed. Bundlers do not see it, so they leave it out. */
export function requirePackage(name: string): unknown {
  return createRequire(ownAddress())(name);
}
