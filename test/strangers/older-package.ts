import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import packageJson from "../../package.json" with { type: "json" };
import { root } from "../docs/markdown.ts";

/** The commit of 0.1.0. */
export const OLDER = "fbdb967";

/** Whether this clone has that commit. */
export function hasOlder(): boolean {
  try {
    git("cat-file", "-e", `${OLDER}^{commit}`);
    return true;
  } catch {
    return false;
  }
}

/** Builds the library of that commit in a folder, with the current dependencies; resolves with its dist/. */
export async function buildOlder(folder: string): Promise<string> {
  const source = join(folder, "older");
  mkdirSync(source);
  execFileSync("tar", ["-x", "-C", source], { input: git("archive", OLDER, "src", "package.json") });
  symlinkSync(join(root, "node_modules"), join(source, "node_modules"));
  const installed = Object.keys({ ...packageJson.dependencies, ...packageJson.optionalDependencies });
  const bundle = await rolldown({
    cwd: source,
    platform: "node",
    input: {
      index: "src/index.ts",
      node: "src/receiver/node.ts",
      "inbox-writer": "src/inbox/sqlite/writer-thread.ts",
    },
    external: (id) =>
      id.startsWith("node:") || installed.some((name) => id === name || id.startsWith(`${name}/`)),
  });
  const dist = join(source, "dist");
  await bundle.write({ dir: dist, format: "esm" });
  await bundle.close();
  return dist;
}

function git(...argv: readonly string[]): Buffer {
  return execFileSync("git", ["-C", root, ...argv], {
    maxBuffer: 1024 ** 3,
    stdio: ["ignore", "pipe", "ignore"],
  });
}
