import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "../../fake-io.ts";

const apps = join(import.meta.dirname, "..", "..", "..", "fixtures", "apps");

/** A copy of an app of the fixtures, in which some files are changed. */
export function appFolder(name: string, changes: Readonly<Record<string, string>> = {}): string {
  const folder = join(tempFolder(), "app");
  cpSync(join(apps, name), folder, { recursive: true });
  for (const [path, text] of Object.entries(changes)) writeFileSync(join(folder, path), text);
  return folder;
}

/** The text of each file of a folder, by its path. */
export function filesOf(folder: string): Readonly<Record<string, string>> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(
    paths
      .filter((path) => statSync(join(folder, path)).isFile())
      .map((path) => [path.replaceAll("\\", "/"), readFileSync(join(folder, path), "utf8")]),
  );
}
