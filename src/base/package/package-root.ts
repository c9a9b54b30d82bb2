import { readFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { ownAddress } from "./own-address.ts";

/** The installed package: its folder and version. */
export interface PackageRoot {
  readonly path: string;
  readonly version: string;
}

/**
 * Finds the folder of hookporter's own package.json by walking up: this module is in
 * `src/base/package/` as source and in `dist/` once bundled.
 *
 * @throws Error if the package is incomplete
 */
export async function findPackageRoot(from = ownFolder()): Promise<PackageRoot> {
  const root = rootAbove(from);
  if (root !== undefined) return root;
  throw new Error(`expected hookporter's package.json above ${from}, found none: install it again`);
}

/**
 * The folders of this package's own code: `dist`, or `src` when it runs from source. Found once one
 * is asked for.
 */
let ownFolders: readonly string[] | undefined;

/** Whether a file is part of this package, not of the user's code. */
export function isOwnCode(file: string): boolean {
  if (ownFolders === undefined) {
    const root = rootAbove(ownFolder());
    ownFolders =
      root === undefined ? [] : ["dist", "src"].map((name) => join(root.path, name) + sep);
  }
  return ownFolders.some((folder) => file.startsWith(folder));
}

function ownFolder(): string {
  return dirname(fileURLToPath(ownAddress()));
}

function rootAbove(from: string): PackageRoot | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const { name, version } = readManifest(join(folder, "package.json"));
    if (name === "hookporter" && typeof version === "string") return { path: folder, version };
    if (dirname(folder) === folder) return undefined;
  }
}

function readManifest(path: string): { name?: unknown; version?: unknown } {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return {}; // none here, or a broken one of another package: continue upwards
  }
}
