import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ownAddress } from "../../../base/package/own-address.ts";

/** A program in `dist/`, such as the writer thread. */
export interface BuiltProgram {
  /** The path where it belongs: beside the code that runs, which a bundler may have moved. */
  readonly path: string;
  readonly exists: boolean;
}

/** Finds a program by its name; `undefined` if the source runs unbuilt. */
export function builtProgram(name: string): BuiltProgram | undefined {
  const address = ownAddress();
  if (!address.startsWith("file:") || address.endsWith(".ts")) return undefined;
  const path = fileURLToPath(new URL(`./${name}`, address));
  return { path, exists: existsSync(path) };
}
