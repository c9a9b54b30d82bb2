import { HookporterError } from "../errors.ts";

/**
 * A template's package.json as the new project's: its name, and the version of hookporter it was made with.
 *
 * @throws HookporterError `option_invalid` for a name that npm would take for one of the dependencies
 */
export function renderManifest(text: string, { name, version }: { name: string; version: string }): string {
  const manifest = JSON.parse(text) as Record<string, unknown> & { dependencies: Record<string, string> };
  const dependencies = { ...manifest.dependencies, hookporter: `^${version}` };
  const taken = { ...dependencies, ...(manifest.devDependencies as object | undefined) };
  if (Object.hasOwn(taken, name)) {
    throw new HookporterError(
      "option_invalid",
      `expected a project name of your own, got ${JSON.stringify(name)}, which the project depends on`,
    );
  }
  return `${JSON.stringify({ ...manifest, name, dependencies }, null, 2)}\n`;
}
