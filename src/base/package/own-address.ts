import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * The file URL that this package's code runs from. A bundle in CommonJS form may have none; the
 * address of the program that runs is used for it, as the bundle usually is that program.
 */
export function ownAddress(): string {
  const address: unknown = import.meta.url;
  return typeof address === "string"
    ? address
    : pathToFileURL(process.argv[1] ?? join(process.cwd(), "program.js")).href;
}

/**
 * Where an installed package is: beside this one, or in the working folder, for a program that is
 * installed globally or run by `npx`. `undefined` if it is in neither. Bundlers do not see the
 * package, so they leave it out.
 */
export function findPackage(name: string): string | undefined {
  for (const from of [ownAddress(), join(process.cwd(), "package.json")]) {
    try {
      return createRequire(from).resolve(name);
    } catch {
      // Not there.
    }
  }
  return undefined;
}

/**
 * Loads an installed package when it is first needed: by its name, or from where
 * {@link findPackage} found it.
 */
export function requirePackage(name: string): unknown {
  return createRequire(ownAddress())(name);
}
