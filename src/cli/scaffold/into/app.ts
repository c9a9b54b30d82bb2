import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigurationError, describeError, HookporterError } from "../../../base/errors.ts";
import { isRecord } from "../../../base/guards.ts";
import { codeOf } from "./code.ts";

/** What an app is built with, by the package that says so; the first that is found counts. */
const FRAMEWORKS = {
  next: "Next.js",
  "@nestjs/platform-express": "NestJS",
  "@nestjs/platform-fastify": "NestJS on Fastify",
  express: "Express",
  fastify: "Fastify",
  hono: "Hono",
} as const;

export type Framework = (typeof FRAMEWORKS)[keyof typeof FRAMEWORKS];

export interface App {
  readonly framework: Framework;
  readonly manifest: string;
  /** The ranges of all packages that it depends on, by name. */
  readonly packages: ReadonlyMap<string, string>;
  /** The files that may create the app and start its server, with their code. */
  readonly sources: ReadonlyMap<string, { readonly text: string; readonly code: string }>;
  /** The folder with the source, as `src/`; empty if it is the app's own. */
  readonly base: "" | "src/";
  readonly extension: ".ts" | ".js" | ".mjs";
  /** What a relative import ends with, such as `.js`; nothing if it has no extension. */
  readonly suffix: string;
  /** The text of a file; `undefined` if it does not exist. */
  readonly read: (path: string) => string | undefined;
}

/**
 * Recognises an app by its package.json and usual files. @throws ConfigurationError
 * `option_invalid` if it is unknown
 */
export function findApp(folder: string): App {
  const read = (path: string) => readText(folder, path);
  const manifest = read("package.json");
  if (manifest === undefined)
    throw unknown(`a package.json in ${folder}`, "none", "name the app's folder");
  const parsed = parse(manifest, join(folder, "package.json"));
  const packages = new Map(
    ["peerDependencies", "devDependencies", "dependencies"].flatMap((key) =>
      Object.entries(isRecord(parsed[key]) ? parsed[key] : {}).map(([name, range]) => [
        name,
        String(range),
      ]),
    ),
  );
  const known = Object.entries(FRAMEWORKS).find(([name]) => packages.has(name));
  const names = Object.keys(FRAMEWORKS).join(", ");
  const fix = "node_modules/hookporter/docs/frameworks has other ways";
  if (known === undefined)
    throw unknown(`one of ${names} in ${folder}'s package.json`, "none", fix);
  const framework = known[1];
  const sources = readSources(usualFiles(framework), read);
  const files = [...sources.keys()];
  const has = (path: string) => existsSync(join(folder, path));
  const base =
    framework === "Next.js"
      ? has("src/app") || has("src/pages")
      : files.some((path) => path.startsWith("src/"));
  const tsconfig = read("tsconfig.json");
  const isTypeScript =
    files.length === 0 ? tsconfig !== undefined : files.some((path) => path.endsWith("ts"));
  const isModule = parsed.type === "module" || framework === "Next.js";
  const extension = isTypeScript ? ".ts" : isModule ? ".js" : ".mjs";
  return {
    framework,
    manifest,
    packages,
    sources,
    extension,
    read,
    base: base ? "src/" : "",
    suffix:
      framework === "Next.js"
        ? ""
        : isTypeScript
          ? suffixOf(sources, tsconfig, isModule)
          : extension,
  };
}

function usualFiles(framework: Framework): readonly string[] {
  if (framework === "Next.js") return [];
  const names = framework.startsWith("NestJS") ? ["main"] : ["app", "server", "index", "main"];
  const files = ["src/", ""].flatMap((folder) =>
    names.flatMap((name) =>
      ["ts", "mts", "js", "mjs", "cjs"].map((end) => `${folder}${name}.${end}`),
    ),
  );
  return [...files, "bin/www"];
}

function readSources(paths: readonly string[], read: App["read"]): App["sources"] {
  return new Map(
    paths.flatMap((path) => {
      const text = read(path);
      return text === undefined ? [] : [[path, { text, code: codeOf(text) }]];
    }),
  );
}

/** The extension in the app's own relative imports, or what its settings ask for. */
function suffixOf(sources: App["sources"], tsconfig = "", isModule: boolean): string {
  for (const { code } of sources.values()) {
    const [found, end = ""] = /\bfrom ["']\.[^"']*?(\.[mc]?[jt]s)?["']/.exec(code) ?? [];
    if (found !== undefined) return end;
  }
  if (/"(?:allowImporting|rewriteRelativeImport)\w+"\s*:\s*true/.test(tsconfig)) return ".ts";
  return isModule && !/"bundler"/i.test(tsconfig) ? ".js" : "";
}

function readText(folder: string, path: string): string | undefined {
  const file = join(folder, path);
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (thrown) {
    if (["ENOENT", "ENOTDIR", "EISDIR"].includes(Object(thrown).code)) return undefined;
    throw thrown;
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new HookporterError(
      "input_invalid",
      `expected ${file} to be UTF-8, got other bytes: save it as UTF-8`,
      { cause },
    );
  }
}

function parse(text: string, path: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    return isRecord(parsed) ? parsed : {};
  } catch (cause) {
    throw unknown(`JSON in ${path}`, describeError(cause), "correct it");
  }
}

function unknown(expected: string, got: string, fix: string): ConfigurationError {
  return new ConfigurationError("option_invalid", `expected ${expected}, got ${got}: ${fix}`);
}
