import { readFileSync } from "node:fs";
import { join } from "node:path";

const { dependencies } = JSON.parse(
  readFileSync(join(import.meta.dirname, "..", "package.json"), "utf8"),
) as { readonly dependencies: Readonly<Record<string, string>> };

/** A package with the version that journeys install, as npm takes it. */
export function pinned(name: string): string {
  const version = dependencies[name];
  if (version === undefined) throw new Error(`expected test/journeys/package.json to have ${name}`);
  return `${name}@${version}`;
}
