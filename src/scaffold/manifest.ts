import { HookporterError } from "../errors.ts";

/**
 * Turns a template's package.json into the new project's: with its name, and the version of hookporter that created it.
 *
 * @throws HookporterError `option_invalid` for a name that npm would confuse with one of the dependencies
 */
export function renderManifest(text: string, { name, version }: { name: string; version: string }): string {
  const manifest = JSON.parse(text) as Record<string, unknown> & { dependencies: Record<string, string> };
  const dependencies = { ...manifest.dependencies, hookporter: `^${version}` };
  const taken = { ...dependencies, ...(manifest.devDependencies as object | undefined) };
  if (Object.hasOwn(taken, name)) {
    throw new HookporterError(
      "option_invalid",
      `expected a unique project name, got ${JSON.stringify(name)}, which is a dependency of the project: choose another`,
    );
  }
  return `${JSON.stringify({ ...manifest, name, dependencies }, null, 2)}\n`;
}
