import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { HookporterError } from "../errors.ts";

/** Files that a developer of the template leaves in it; never copied. */
const LEFT_BEHIND = new Set(["node_modules", "dist", "data", "package-lock.json", ".env"]);

/** The names of all templates, sorted. */
export async function listTemplates(packageRoot: string): Promise<readonly string[]> {
  const entries = await readdir(join(packageRoot, "templates"), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory());
  return folders.map(({ name }) => name).sort();
}

/**
 * The folder of a template.
 *
 * @throws HookporterError `template_unknown`, with the existing names
 */
export async function findTemplate(packageRoot: string, template: string): Promise<string> {
  const names = await listTemplates(packageRoot);
  // Only a listed name becomes a path, so `..` in a name has no effect.
  if (names.includes(template)) return join(packageRoot, "templates", template);
  throw new HookporterError(
    "template_unknown",
    `expected a template's name (${names.join(", ")}), got ${JSON.stringify(template)}`,
  );
}

/** The files of a template, as paths within it with forward slashes, sorted. Does not follow symbolic links. */
export async function listTemplateFiles(folder: string, within = ""): Promise<readonly string[]> {
  const entries = await readdir(join(folder, within), { withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries) {
    if (LEFT_BEHIND.has(entry.name)) continue;
    const path = within === "" ? entry.name : `${within}/${entry.name}`;
    if (entry.isDirectory()) found.push(...(await listTemplateFiles(folder, path)));
    else if (entry.isFile()) found.push(path);
  }
  return found.sort();
}
