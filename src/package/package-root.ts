import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The installed package: its folder and version. */
export interface PackageRoot {
  readonly path: string;
  readonly version: string;
}

/**
 * Finds the folder of hookporter's own package.json by walking up: this module is in `src/package/` as source and in
 * `dist/` once bundled.
 *
 * @throws Error if the package is incomplete
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
    return {}; // none here, or a broken one of another package: continue upwards
  }
}
