import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The installed package: where its files are, and which version it is. */
export interface PackageRoot {
  /** Absolute. */
  readonly path: string;
  readonly version: string;
}

/**
 * The folder of hookporter's own package.json, found by walking up: this module is in `src/scaffold/` as a source and
 * in `dist/` once bundled.
 *
 * @throws Error when the package is not whole
 */
export async function findPackageRoot(from = dirname(fileURLToPath(import.meta.url))): Promise<PackageRoot> {
  for (let folder = from; ; folder = dirname(folder)) {
    const { name, version } = await readManifest(join(folder, "package.json"));
    if (name === "hookporter" && typeof version === "string") return { path: folder, version };
    if (dirname(folder) === folder) {
      throw new Error(`expected hookporter's package.json above ${from}, found none: install it again`);
    }
  }
}

async function readManifest(path: string): Promise<{ name?: unknown; version?: unknown }> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch {
    return {}; // none here, or somebody else's that is broken: go on upwards
  }
}
