import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "../docs/markdown.ts";

const here = import.meta.dirname;

/** Where the packages of the recipes are installed. */
export const MODULES = join(here, "node_modules");

/** npm could not reach a registry. */
const NO_NETWORK = /\b(?:EAI_AGAIN|ENOTFOUND|ECONN\w+|ENETUNREACH|EHOSTUNREACH|E\w*TIMEDOUT)\b/;

/** What the recipes lack on this machine; `undefined` if their packages are installed. */
export const NO_PACKAGES = install();

/**
 * Installs the packages of the recipes unless they are here. They appear all at once, so of two
 * workers that install at the same time, the first one provides them.
 */
function install(): string | undefined {
  if (isInstalled()) return undefined;
  rmSync(MODULES, { recursive: true, force: true }); // of another lockfile
  const cache = join(root, "node_modules", ".cache", "hookporter");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "recipes-"));
  try {
    for (const name of ["package.json", "package-lock.json"]) {
      copyFileSync(join(here, name), join(folder, name));
    }
    const argv = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1"];
    const npm = spawnSync("npm", argv, { cwd: folder, encoding: "utf8" });
    if (npm.status !== 0) {
      if (NO_NETWORK.test(npm.stderr))
        return "the packages of test/recipes (npm reached no registry)";
      throw new Error(
        `expected npm to install what test/recipes/package.json lists, got: ${npm.stderr}`,
      );
    }
    publish(join(folder, "node_modules"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return undefined;
}

function publish(modules: string): void {
  try {
    renameSync(modules, MODULES);
  } catch (error) {
    if (!isInstalled()) throw error; // otherwise another worker was first
  }
}

function isInstalled(): boolean {
  const installed = versionsIn(join(MODULES, ".package-lock.json"));
  return installed !== undefined && installed === versionsIn(join(here, "package-lock.json"));
}

/** The packages of a lockfile, as one text to compare; `undefined` if there is no such file. */
function versionsIn(lockfile: string): string | undefined {
  try {
    const { packages } = JSON.parse(readFileSync(lockfile, "utf8"));
    return Object.keys(packages)
      .filter((path) => path !== "")
      .map((path) => `${path} ${packages[path].version}`)
      .join("\n");
  } catch {
    return undefined;
  }
}
