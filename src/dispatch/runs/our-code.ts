import { existsSync, readFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { ownAddress } from "../../package/own-address.ts";

/** The folders of this package's own code: `dist`, or `src` when it runs from source. Found once one is asked for. */
let ourFolders: readonly string[] | undefined;

export function isOurs(file: string): boolean {
  ourFolders ??= findOurFolders();
  return ourFolders.some((folder) => file.startsWith(folder));
}

function findOurFolders(): readonly string[] {
  const start = dirname(fileURLToPath(ownAddress()));
  for (let folder = start; dirname(folder) !== folder; folder = dirname(folder)) {
    const manifest = join(folder, "package.json");
    if (!existsSync(manifest)) continue;
    if (!/"name":\s*"hookporter"/.test(readFileSync(manifest, "utf8"))) continue;
    return ["dist", "src"].map((name) => join(folder, name) + sep);
  }
  return [];
}
