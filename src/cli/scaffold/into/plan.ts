import { existsSync } from "node:fs";
import { join } from "node:path";
import { invalidOption } from "../../../base/options/check-options.ts";
import type { PackageRoot } from "../../../base/package/package-root.ts";
import { trimEndOf } from "../../../base/text/trim-end.ts";
import { generateSecret, renderEnvFile } from "../env-file.ts";
import { type App, type Framework, findApp } from "./app.ts";
import { addDependency } from "./manifest-text.ts";
import { mountReceiver, type ToDo } from "./mounts.ts";
import { type OwnFiles, ownFiles } from "./own-files.ts";

/** A file to write: a new one, or one with inserted lines. */
export interface PlannedText {
  /** Within the app's folder, with forward slashes. */
  readonly path: string;
  /** `undefined` if the file does not exist yet. */
  readonly before: string | undefined;
  readonly after: string;
}

export interface IntoPlan {
  readonly framework: Framework;
  /** The folder of the new files within the app's folder, such as `src/webhooks`. */
  readonly home: string;
  /** The files to write in this order; none if the app has a receiver already. */
  readonly texts: readonly PlannedText[];
  /** The tests' file; `undefined` if there is none, since the app tests with Jest. */
  readonly test: string | undefined;
  readonly toDo: readonly ToDo[];
}

/** Folders that git must not keep: the secret, the inbox, and what `listen` writes. */
const IGNORED = [".env", "data/", ".hookporter/"];

/** What says that an app is installed with pnpm, on its own or in a workspace. */
const PNPM_FILES = ["pnpm-lock.yaml", "../pnpm-workspace.yaml", "../../pnpm-workspace.yaml"];

/**
 * Plans how to add a receiver to the app in a folder; existing files only get lines, and
 * package.json is written as npm writes it. @throws ConfigurationError `option_invalid` if the
 * folder holds no app of a known kind, or a file is in the way
 */
export async function planInto(folder: string, { path, version }: PackageRoot): Promise<IntoPlan> {
  const app = findApp(folder);
  const homes = ["webhooks", "receiver"].map((name) => app.base + name);
  const { framework } = app;
  const made = hasReceiver(app, homes);
  if (made !== undefined) return { framework, home: made, texts: [], test: undefined, toDo: [] };
  const home = homes.find((home) => !existsSync(join(folder, home)));
  if (home === undefined) throw inTheWay(homes.join(" or "), folder);
  checkZod(app);

  const own = await ownFiles(path, app, home);
  const mounts = mountReceiver(app, home, own);
  const toDo = [...mounts.toDo];
  const texts = new Map([...environment(app, own), ...mounts.texts]);
  const test = [...own.files.keys()].find((name) => /\.(?:test|spec)\./.test(name));
  texts.set("package.json", withDependencies(app, own, version, test !== undefined));
  toDo.push(...settings(app, own, texts));
  for (const [name, text] of own.files) {
    const found = app.read(name);
    if (found === undefined) texts.set(name, text);
    else if (name === "hookporter.config.json")
      toDo.push({ where: name, line: text.trim().replace(/\s+/g, " ") });
    else throw inTheWay(name, folder);
  }
  const planned = [...texts].map(([name, after]) => ({
    path: name,
    before: app.read(name),
    after,
  }));
  return {
    framework,
    home,
    texts: planned.filter(({ before, after }) => before !== after),
    test,
    toDo,
  };
}

/** The folder or file with a receiver that the app has already. */
function hasReceiver({ read, sources, base }: App, homes: readonly string[]): string | undefined {
  const uses = (text = "") => /["']hookporter(?:\/\w+)?["']/.test(text);
  const isHome = (home: string) =>
    [".ts", ".js", ".mjs"].some((end) => uses(read(`${home}/receiver${end}`)));
  const [file] = [...sources].find(([, { text }]) => uses(text)) ?? [];
  return [...homes, `${base}.`].find(isHome) ?? file;
}

/** The secret, its example, and what keeps it out of git. */
function environment({ read }: App, { env }: OwnFiles): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const add = (path: string, text: string, known: RegExp) => {
    const before = read(path) ?? "";
    if (!known.test(before))
      texts.set(path, before === "" ? text : `${before.replace(/\n?$/, "\n")}\n${text}`);
  };
  const ignored = read(".gitignore") ?? "";
  const known = ignored
    .split(/\r?\n/)
    .map((line) => trimEndOf(line.trim().replace(/^\//, ""), "/*"));
  const missing = IGNORED.filter((line) => !known.includes(line.replace(/\/$/, "")));
  if (missing.length > 0)
    texts.set(".gitignore", `${ignored.replace(/(?<=[^\n])$/, "\n")}${missing.join("\n")}\n`);
  add(".env.example", env, /^[ \t]*(?:export[ \t]+)?HOOKPORTER_SECRET[ \t]*=/m);
  // an empty one, as an example has, is none
  const set = /^[ \t]*(?:export[ \t]+)?HOOKPORTER_SECRET[ \t]*=[ \t]*["']?[^\s"'#]/m;
  add(".env", renderEnvFile(env, generateSecret()), set);
  return texts;
}

function withDependencies(
  { manifest, packages }: App,
  { ranges }: OwnFiles,
  version: string,
  isTested: boolean,
) {
  const wanted = [
    ["dependencies", "hookporter", `^${version}`],
    ["dependencies", "zod", ranges.zod],
    ...(isTested ? [["devDependencies", "vitest", ranges.vitest] as const] : []),
  ] as const;
  return wanted
    .filter(([, name]) => !packages.has(name))
    .reduce((text, [section, name, range]) => addDependency(text, section, name, range), manifest);
}

/** What other files need, such as the settings of TypeScript and pnpm. */
function settings(
  { read, extension }: App,
  { pnpmWorkspace }: OwnFiles,
  texts: Map<string, string>,
) {
  const toDo: ToDo[] = [];
  const path = PNPM_FILES.find((file) => read(file) !== undefined)?.replace("lock", "workspace");
  const workspace = path && read(path);
  if (path !== undefined && !workspace?.includes("@photostructure/sqlite")) {
    if (workspace === undefined) texts.set(path, pnpmWorkspace);
    else toDo.push({ where: `${path}, allowBuilds`, line: '"@photostructure/sqlite": false' });
  }
  const tsconfig = read("tsconfig.json") ?? "";
  const isOld =
    /"module"\s*:\s*"commonjs"/i.test(tsconfig) &&
    !/"moduleResolution"\s*:\s*"(?:node\d|bundler)/i.test(tsconfig);
  if (extension === ".ts" && isOld)
    toDo.push({
      where: "tsconfig.json, which finds no `exports` of packages as it is",
      line: '"module": "nodenext"',
    });
  return toDo;
}

/** An older zod has no `looseObject`, which the schemas use. */
function checkZod({ packages }: App): void {
  const range = packages.get("zod");
  const [major = "4"] = /\d+/.exec(range ?? "") ?? [];
  if (Number(major) >= 4) return;
  throw invalidOption(
    `expected zod 4 or newer in package.json, got ${range}: update it first; its export zod/v3 keeps older schemas working`,
  );
}

function inTheWay(path: string, folder: string): Error {
  return invalidOption(
    `expected no ${path} in ${folder}, got one: rename it, or add the receiver by hand as node_modules/hookporter/docs/frameworks shows`,
  );
}
