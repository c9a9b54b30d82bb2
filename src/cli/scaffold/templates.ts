import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { HookporterError } from "../../base/errors.ts";

/**
 * Where a project keeps its events: in a file, or in a database on PostgreSQL that several
 * processes share.
 */
export type ProjectInbox = "file" | "postgres";

/** A kind of project, as its `template.json` describes it. */
export interface Template {
  /** Its folder in `templates/`. */
  readonly name: string;
  readonly title: string;
  /**
   * The folders whose files it shares with others; a later one replaces files of an earlier one.
   */
  readonly layers: readonly string[];
  /** The inboxes that it can have, the default first. */
  readonly inboxes: readonly [ProjectInbox, ...ProjectInbox[]];
}

export const DEFAULT_TEMPLATE = "express";

/**
 * All templates: the default first, then by name. Other folders start with `_` and are shared
 * layers.
 */
export async function listTemplates(packageRoot: string): Promise<readonly Template[]> {
  const entries = await readdir(join(packageRoot, "templates"), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith("_"));
  const names = folders.map(({ name }) => name).sort();
  names.sort((a, b) => Number(b === DEFAULT_TEMPLATE) - Number(a === DEFAULT_TEMPLATE));
  const read = async (name: string): Promise<Template> => {
    const text = await readFile(join(packageRoot, "templates", name, "template.json"), "utf8");
    return { name, ...(JSON.parse(text) as Omit<Template, "name">) };
  };
  return Promise.all(names.map(read));
}

/** The template with a name. @throws HookporterError `template_unknown`, with the existing names */
export async function findTemplate(packageRoot: string, name: string): Promise<Template> {
  const templates = await listTemplates(packageRoot);
  // Only a listed name becomes a path, so `..` in a name has no effect.
  const found = templates.find((template) => template.name === name);
  if (found !== undefined) return found;
  throw new HookporterError(
    "template_unknown",
    `expected a template's name (${templates.map((template) => template.name).join(", ")}), got ${JSON.stringify(name)}`,
  );
}
