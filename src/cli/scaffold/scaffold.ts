/**
 * A name, a template and answers to questions come in. The files of a project go out. No file that
 * is there is replaced.
 */

import { lstat, mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { HookporterError } from "../../base/errors.ts";
import { findPackageRoot, type PackageRoot } from "../../base/package/package-root.ts";
import { generateSecret, renderEnvFile } from "./env-file.ts";
import { readLayers } from "./layers.ts";
import { renderManifest } from "./manifest.ts";
import { nameProblem, projectNameOf } from "./project-name.ts";
import { DEFAULT_TEMPLATE, findTemplate, type ProjectInbox, type Template } from "./templates.ts";

export interface ScaffoldOptions {
  /** Created if missing; must be empty except for `.git`. */
  readonly directory: string;
  /** A folder of `templates/`. Default `express`. */
  readonly template?: string;
  /** Where the project keeps its events. Default: the template's first, a file for most. */
  readonly inbox?: ProjectInbox;
  /** The project's name in package.json. Default: from the folder's name. */
  readonly name?: string;
  /** The subscription's secret, for `.env`. Default: a new one. */
  readonly secret?: string;
  /** Where the templates come from. Default: the installed package. */
  readonly from?: PackageRoot;
}

/** The new project. The secret is only in `.env`. */
export type Scaffolded = Awaited<ReturnType<typeof scaffold>>;

interface PlannedFile {
  readonly path: string;
  readonly content: string;
  readonly mode?: number;
}

/** Files that npm drops or interprets under their real names. */
const RENAMED: Readonly<Record<string, string>> = {
  _gitignore: ".gitignore",
  _dockerignore: ".dockerignore",
  "_yarnrc.yml": ".yarnrc.yml",
};

/**
 * Puts a template and its layers together as a new project, and writes its `.env`, readable only by
 * its owner, with a secret that is never printed or returned. Everything is checked before the
 * first file is written, and existing files and links are never overwritten. `files` are the
 * written ones, as paths within the directory with forward slashes, sorted.
 *
 * @throws HookporterError `directory_not_empty`, `template_unknown`, `option_invalid`
 */
export async function scaffold(options: ScaffoldOptions) {
  const directory = resolve(options.directory);
  const { name = projectNameOf(directory), secret = generateSecret() } = options;
  const problem = nameProblem(name);
  if (problem !== undefined) throw new HookporterError("option_invalid", problem);
  const root = options.from ?? (await findPackageRoot());
  const template = await findTemplate(root.path, options.template ?? DEFAULT_TEMPLATE);
  const { inbox = template.inboxes[0] } = options;
  if (!template.inboxes.includes(inbox)) throw unknownInbox(template, inbox);
  await checkTarget(directory);
  const layers = [...template.layers, `_inbox-${inbox}`, template.name];
  const folders = layers.map((layer) => join(root.path, "templates", layer));
  const files = await planFiles(folders, { name, secret, version: root.version });
  for (const file of files) await writeNew(directory, file);
  return {
    directory,
    name,
    template: template.name,
    inbox,
    files: files.map(({ path }) => path).sort(),
  };
}

function unknownInbox({ name, inboxes }: Template, inbox: ProjectInbox): HookporterError {
  const message = `expected the inbox ${inboxes.join(" or ")} for the template ${name}, got ${JSON.stringify(inbox)}`;
  return new HookporterError("option_invalid", message);
}

async function planFiles(
  folders: readonly string[],
  { name, secret, version }: { name: string; secret: string; version: string },
): Promise<readonly PlannedFile[]> {
  const { files, manifests } = await readLayers(folders);
  const copied = [...files].map(([path, content]) => ({ path: RENAMED[path] ?? path, content }));
  return [
    ...copied,
    { path: "package.json", content: renderManifest(manifests, { name, version }) },
    { path: ".env", content: renderEnvFile(files.get(".env.example") ?? "", secret), mode: 0o600 },
  ];
}

/** Writes a file that must not exist; `wx` refuses links too, even dangling ones. */
export async function writeNew(directory: string, { path, content, mode = 0o666 }: PlannedFile) {
  const target = join(directory, path);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, content, { flag: "wx", mode });
}

/**
 * A new project's folder must not exist, or be empty except for `.git`; a link to one does not
 * count.
 */
async function checkTarget(directory: string): Promise<void> {
  const found = await lstat(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (found === undefined) return;
  if (!found.isDirectory()) {
    const got = found.isSymbolicLink() ? "a symbolic link" : "something else";
    throw new HookporterError(
      "option_invalid",
      `expected ${directory} to be a folder or not to exist, got ${got}: name the folder itself`,
    );
  }
  const [first] = (await readdir(directory)).filter((name) => name !== ".git");
  if (first === undefined) return;
  throw new HookporterError(
    "directory_not_empty",
    `expected ${directory} to be empty except for .git, got ${first} in it: name another folder, or add a receiver to the app there with --into`,
  );
}
