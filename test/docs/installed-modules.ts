import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./markdown.ts";

/**
 * What a reader has installed: the package, and the others that the pages and the templates name.
 */
export interface InstalledModules {
  /** The path of `node_modules`. */
  readonly path: string;
  remove(): void;
}

/** Links the project's build and its packages into a `node_modules` of their own. */
export function installModules(): InstalledModules {
  const place = mkdtempSync(join(tmpdir(), "hookporter-pages-"));
  const path = join(place, "node_modules");
  mkdirSync(join(path, ".bin"), { recursive: true });
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (!name.startsWith("."))
      symlinkSync(join(root, "node_modules", name), join(path, name), "junction");
  }
  symlinkSync(root, join(path, "hookporter"), "junction");
  symlinkSync(join(root, "dist", "hookporter.cjs"), join(path, ".bin", "hookporter"));
  for (const name of ["tsc", "vitest"])
    symlinkSync(join(root, "node_modules", ".bin", name), join(path, ".bin", name));
  return { path, remove: () => rmSync(place, { recursive: true, force: true }) };
}
