import { spawnSync } from "node:child_process";

/**
 * What systemd says of a unit, a line each; `undefined` if it is not installed. A machine with Node
 * elsewhere has no /usr/bin/node, which is not told.
 */
export function unitFaults(path: string): readonly string[] | undefined {
  const verified = spawnSync("systemd-analyze", ["verify", path], { encoding: "utf8" });
  if (verified.error !== undefined) return undefined;
  return verified.stderr
    .split("\n")
    .filter((line) => line !== "" && !line.includes("/usr/bin/node"));
}
