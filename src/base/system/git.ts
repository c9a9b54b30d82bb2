import { spawnSync } from "node:child_process";
import type { Environment } from "./paths.ts";
import { findProgram } from "./programs.ts";

/**
 * Settings with which git runs nothing that a folder's own `.git/config` names: no monitor, no
 * hook, no pager, and no transport for objects that are missing. What is given to git this way
 * counts more than all its files.
 */
const NOTHING_OF_THE_FOLDERS = [
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  "core.hooksPath=/dev/null",
  "core.pager=cat",
  "diff.external=",
  "core.sshCommand=false",
  "credential.helper=",
  "protocol.allow=never",
];

/** It changes nothing in the folder either, not even the index. */
const QUIETLY = { GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1", GIT_TERMINAL_PROMPT: "0" };

/**
 * Asks git about a folder, which may be someone else's. Returns its exit code; `null` if there is
 * no git.
 */
export function askGit(folder: string, argv: readonly string[], env: Environment): number | null {
  // By its name alone, Windows would start one in the folder.
  const git = findProgram("git", { cwd: folder, env });
  if (git === undefined) return null;
  const settings = NOTHING_OF_THE_FOLDERS.flatMap((setting) => ["-c", setting]);
  return spawnSync(git, ["--no-pager", ...settings, ...argv], {
    cwd: folder,
    env: { ...env, ...QUIETLY },
    stdio: "ignore",
    windowsHide: true,
  }).status;
}
