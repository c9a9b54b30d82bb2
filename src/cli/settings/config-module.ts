import { realpathSync } from "node:fs";
import { types } from "node:util";
import { describeError } from "../../base/errors.ts";
import { isError, isPromiseLike, isRecord } from "../../base/guards.ts";
import { consoleOnStderr } from "../handlers/console-on-stderr.ts";
import { ModuleLoader } from "../handlers/module-loader.ts";
import { invalidConfig } from "../input-errors.ts";
import type { Io } from "../io.ts";

/**
 * Loads a TypeScript or JavaScript file whose default export is the configuration. Nothing is
 * cached. Throws `config_invalid`.
 */
export async function loadConfigModule(path: string, file: string, io: Pick<Io, "stderr">) {
  const restoreConsole = consoleOnStderr(io);
  const loader = await ModuleLoader.create();
  const evaluated = loader.loadModule(path).catch((cause: unknown) => {
    loader.positions.correct(cause);
    throw invalidConfig(
      file,
      `could not be loaded: ${firstLine(cause, realpathSync(path), file)}`,
      cause,
    );
  });
  const exported = defaultExport(await evaluated.finally(restoreConsole));
  if (exported === undefined)
    throw invalidConfig(file, "has no default export: write export default defineConfig({ … })");
  if (isRecord(exported) && !isPromiseLike(exported)) return exported;
  throw invalidConfig(
    file,
    `has the wrong default export: expected an object of settings, got ${nameOf(exported)}`,
  );
}

function nameOf(value: unknown): string {
  if (isPromiseLike(value)) return "a promise";
  if (Array.isArray(value)) return "a list";
  return value === null ? "null" : `a ${typeof value}`;
}

/** The message of an error, with the place in the file that it comes from. */
function firstLine(thrown: unknown, path: string, file: string): string {
  const [line = ""] = describeError(thrown).split("\n");
  const message = line.replaceAll(path, file);
  const stack = isError(thrown) ? String(thrown.stack) : "";
  const at = stack.indexOf(`${path}:`);
  const [position] = at === -1 ? [] : (/^:\d+(?::\d+)?/.exec(stack.slice(at + path.length)) ?? []);
  return position === undefined || message.includes(`${file}:`)
    ? message
    : `${message} (${file}${position})`;
}

/** `undefined` if there is none. A CommonJS module is its own. */
function defaultExport(module: unknown): unknown {
  if (!isRecord(module)) return module;
  // jiti returns the module itself for a default export that is undefined, so the property is
  // looked at.
  const own = Object.getOwnPropertyDescriptor(module, "default");
  if (own !== undefined) return own.get === undefined ? own.value : own.get.call(module);
  const isEsModule = types.isModuleNamespaceObject(module) || "__esModule" in module;
  return isEsModule || Object.values(module).every((value) => value === undefined)
    ? undefined
    : module;
}
