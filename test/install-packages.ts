import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";

const root = join(import.meta.dirname, "..");

/** npm could not reach a registry. */
const NO_NETWORK = /\b(?:EAI_AGAIN|ENOTFOUND|ECONN\w+|ENETUNREACH|EHOSTUNREACH|E\w*TIMEDOUT)\b/;

/**
 * Installs the packages of a folder's lockfile beside it, unless they are there; returns what is
 * missing on this machine, if they cannot be. They appear all at once, so of two workers that
 * install at the same time, the first one provides them.
 */
export function installPackages(here: string): string | undefined {
  const modules = join(here, "node_modules");
  if (isInstalled(here)) return undefined;
  rmSync(modules, { recursive: true, force: true }); // of another lockfile
  const cache = join(root, "node_modules", ".cache", "hookporter");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, `${basename(here)}-`));
  try {
    for (const name of ["package.json", "package-lock.json"]) {
      copyFileSync(join(here, name), join(folder, name));
    }
    // not `ci`, which refuses an optional package that is not in the registry
    const argv = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1"];
    const npm = spawnSync("npm", argv, { cwd: folder, encoding: "utf8" });
    if (npm.status !== 0) {
      if (NO_NETWORK.test(npm.stderr))
        return `the packages of test/${basename(here)} (npm reached no registry)`;
      throw new Error(
        `expected npm to install what test/${basename(here)}/package.json lists, got: ${npm.stderr}`,
      );
    }
    publish(join(folder, "node_modules"), here);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return undefined;
}

function publish(modules: string, here: string): void {
  try {
    renameSync(modules, join(here, "node_modules"));
  } catch (error) {
    if (!isInstalled(here)) throw error; // otherwise another worker was first
  }
}

function isInstalled(here: string): boolean {
  const installed = versionsIn(join(here, "node_modules", ".package-lock.json"));
  return installed !== undefined && installed === versionsIn(join(here, "package-lock.json"));
}

/** The packages of a lockfile, as one text to compare; `undefined` if there is no such file. */
function versionsIn(lockfile: string): string | undefined {
  try {
    const { packages } = JSON.parse(readFileSync(lockfile, "utf8"));
    return Object.keys(packages)
      .filter((path) => path !== "" && packages[path].optional !== true)
      .map((path) => `${path} ${packages[path].version}`)
      .join("\n");
  } catch {
    return undefined;
  }
}
