import { type FSWatcher, readdirSync, statSync, watch } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import { describeError, HookporterError } from "../../errors.ts";
import type { HandlerRegistry } from "../../receiver/router.ts";
import { describeFileError } from "../files/file-error.ts";

const SOURCE = /\.[cm]?[jt]s$/;
const NOT_HANDLERS = /^[._]|\.d\.[cm]?ts$|\.(?:test|spec)\./;

/** The function that registers a module's handlers. */
export type RegisterHandlers = (registry: HandlerRegistry) => void;

/**
 * Loads a handlers module: a file, or a folder of files (only its `index`, if it has one). TypeScript needs no build. Each
 * file exports by default either `(receiver) => void` or an object from kind to handler. Nothing is cached.
 *
 * @throws HookporterError `handlers_invalid`
 */
export async function loadHandlers(cwd: string, path: string): Promise<RegisterHandlers> {
  const files = handlerFiles(resolve(cwd, path), path);
  const registers: RegisterHandlers[] = [];
  for (const file of files) registers.push(await loadFile(file, files.length > 1));
  return (registry) => {
    for (const register of registers) register(registry);
  };
}

/** Calls back shortly after the last change to a handlers module; returns a stop function. */
export function watchHandlers(cwd: string, path: string, onChange: () => void): () => void {
  const full = resolve(cwd, path);
  const folder = statSync(full).isDirectory() ? full : dirname(full);
  let timer: NodeJS.Timeout | undefined;
  const watcher: FSWatcher = watch(folder, { recursive: true }, (_, file) => {
    if (file === null || !SOURCE.test(file) || file.includes("node_modules")) return;
    clearTimeout(timer);
    timer = setTimeout(onChange, 100);
  });
  watcher.on("error", () => watcher.close());
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}

function handlerFiles(full: string, path: string): readonly string[] {
  let files: string[];
  try {
    if (!statSync(full).isDirectory()) return [full];
    files = readdirSync(full).filter((name) => SOURCE.test(name) && !NOT_HANDLERS.test(name));
  } catch (cause) {
    throw new HookporterError("handlers_invalid", `${path} could not be read: ${describeFileError(cause)}`, {
      cause,
    });
  }
  const index = files.find((name) => basename(name, extname(name)) === "index");
  if (index === undefined && files.length === 0) {
    throw new HookporterError(
      "handlers_invalid",
      `expected handlers in ${path}, got no .ts or .js file: name another path`,
    );
  }
  return (index === undefined ? files.sort() : [index]).map((name) => join(full, name));
}

async function loadFile(file: string, oneOfMany: boolean): Promise<RegisterHandlers> {
  const { createJiti } = await import("jiti"); // only if there are handlers, since it is large
  const jiti = createJiti(import.meta.url, { moduleCache: false, fsCache: false });
  let exported: unknown;
  try {
    exported = await jiti.import(file, { default: true });
  } catch (cause) {
    const [line] = describeError(cause).split("\n");
    throw new HookporterError("handlers_invalid", `could not load ${file}: ${line}`, { cause });
  }
  if (typeof exported === "function") return exported as RegisterHandlers;
  if (
    typeof exported !== "object" ||
    exported === null ||
    Object.values(exported).some((one) => typeof one !== "function")
  ) {
    throw new HookporterError(
      "handlers_invalid",
      `expected ${file} to export by default a function (receiver) => void, or an object from kind to handler`,
    );
  }
  const entries = Object.entries(exported) as [`${string}.*`, () => unknown][];
  const prefix = oneOfMany ? `${basename(file, extname(file))}:` : "";
  return (registry) => {
    for (const [kind, handler] of entries) registry.on(kind, handler, { name: prefix + kind });
  };
}
