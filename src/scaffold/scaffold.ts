import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { generateSecret, renderEnvFile } from "./env-file.ts";
import { renderManifest } from "./manifest.ts";
import { findPackageRoot, type PackageRoot } from "./package-root.ts";
import { checkProjectName, projectNameOf } from "./project-name.ts";
import { checkTarget } from "./target.ts";
import { findTemplate, listTemplateFiles } from "./templates.ts";

/** What to scaffold, and where. */
export interface ScaffoldOptions {
  /** Created if missing; must be empty except for `.git`. */
  readonly directory: string;
  /** A folder of `templates/`. Default `express`. */
  readonly template?: string;
  /** The project's name in package.json. Default: from the folder's name. */
  readonly name?: string;
  /** The subscription's secret, for `.env`. Default: a new one. */
  readonly secret?: string;
  /** Where the templates come from. Default: the installed package. */
  readonly from?: PackageRoot;
}

/** The new project. The secret is only in `.env`. */
export interface Scaffolded {
  /** An absolute path. */
  readonly directory: string;
  readonly name: string;
  readonly template: string;
  /** The files written, as paths within the directory with forward slashes, sorted. */
  readonly files: readonly string[];
}

interface PlannedFile {
  readonly path: string;
  readonly content: string | Buffer;
  readonly mode?: number;
}

/** Files that npm drops or interprets under their real names. */
const RENAMED: Readonly<Record<string, string>> = {
  _gitignore: ".gitignore",
  _dockerignore: ".dockerignore",
};

/**
 * Copies a template into a new project and writes its `.env`, readable only by its owner, with a secret that is never
 * printed or returned. Everything is checked before the first file is written, and existing files and links are never
 * overwritten.
 *
 * @throws HookporterError `directory_not_empty`, `template_unknown`, `option_invalid`
 */
export async function scaffold(options: ScaffoldOptions): Promise<Scaffolded> {
  const directory = resolve(options.directory);
  const { template = "express", name = projectNameOf(directory), secret = generateSecret() } = options;
  checkProjectName(name);
  const root = options.from ?? (await findPackageRoot());
  const folder = await findTemplate(root.path, template);
  await checkTarget(directory);
  const files = await planFiles(folder, { name, secret, version: root.version });
  for (const file of files) await writeNew(directory, file);
  return { directory, name, template, files: files.map(({ path }) => path).sort() };
}

async function planFiles(
  folder: string,
  { name, secret, version }: { name: string; secret: string; version: string },
): Promise<readonly PlannedFile[]> {
  const planned: PlannedFile[] = [];
  let example = "";
  for (const path of await listTemplateFiles(folder)) {
    const content = await readFile(join(folder, path));
    if (path === ".env.example") example = content.toString("utf8");
    const isManifest = path === "package.json";
    const rendered = isManifest ? renderManifest(content.toString("utf8"), { name, version }) : content;
    planned.push({ path: RENAMED[path] ?? path, content: rendered });
  }
  return [...planned, { path: ".env", content: renderEnvFile(example, secret), mode: 0o600 }];
}

/** Writes a file that must not exist; `wx` refuses links too, even dangling ones. */
async function writeNew(directory: string, { path, content, mode = 0o666 }: PlannedFile): Promise<void> {
  const target = join(directory, path);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, content, { flag: "wx", mode });
}
