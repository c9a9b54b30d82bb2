import { HookporterError } from "../../base/errors.ts";
import { isRecord } from "../../base/guards.ts";

type Manifest = Readonly<Record<string, unknown>>;

/**
 * Merges the package.json of each layer into the new project's. A later layer's value replaces an
 * earlier one's; its scripts come first. @throws HookporterError `option_invalid` for the name of
 * one of the dependencies
 */
export function renderManifest(
  texts: readonly string[],
  { name, version }: { name: string; version: string },
): string {
  const merged = texts.map((text) => JSON.parse(text) as Manifest).reduce(merge, {});
  const dependencies = sorted({ ...tableIn(merged, "dependencies"), hookporter: `^${version}` });
  const devDependencies = sorted(tableIn(merged, "devDependencies"));
  if (Object.hasOwn({ ...dependencies, ...devDependencies }, name)) {
    throw new HookporterError(
      "option_invalid",
      `expected a unique project name, got ${JSON.stringify(name)}, which is a dependency of the project: choose another`,
    );
  }
  return `${JSON.stringify({ ...merged, name, dependencies, devDependencies }, null, 2)}\n`;
}

function merge(before: Manifest, after: Manifest): Manifest {
  const merged: Record<string, unknown> = { ...before, ...after };
  for (const [key, value] of Object.entries(before)) {
    const newer = after[key];
    if (isRecord(value) && isRecord(newer)) merged[key] = { ...newer, ...value, ...newer };
  }
  return merged;
}

function tableIn(manifest: Manifest, key: string): Manifest {
  const table = manifest[key];
  return isRecord(table) ? table : {};
}

function sorted(table: Manifest): Manifest {
  return Object.fromEntries(Object.entries(table).sort(([a], [b]) => (a < b ? -1 : 1)));
}
