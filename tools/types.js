// Checks the types: makes those of the settings, then compiles everything, and the page, which has
// types of its own. `--incremental` remembers what it compiled: quick between edits.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import "./config-flags.js";

const root = join(import.meta.dirname, "..");
const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
const cache = join(root, "node_modules", ".cache", "hookporter");
const isIncremental = process.argv.includes("--incremental");

for (const [name, project] of Object.entries({ all: ".", page: "src/inspector/ui" })) {
  const remembered = ["--incremental", "--tsBuildInfoFile", join(cache, `${name}.tsbuildinfo`)];
  const argv = [tsc, "-p", project, ...(isIncremental ? remembered : [])];
  const { status } = spawnSync(process.execPath, argv, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(1);
}
