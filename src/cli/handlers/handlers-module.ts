import { readdirSync, statSync } from "node:fs";
import { basename, extname, isAbsolute, join, resolve } from "node:path";
import { describeError, HookporterError } from "../../base/errors.ts";
import { describeFileError } from "../../base/file-error.ts";
import type { Handler } from "../../dispatch/plan/handler.ts";
import type { DataSchemas } from "../../event/schemas.ts";
import {
  defineHandlers,
  type HandlersModule,
  handlerWithOptions,
  isHandlersModule,
  mergeSchemas,
} from "../../receiver/handlers/define-handlers.ts";
import { registerHandlers } from "../../receiver/handlers/register-handlers.ts";
import type { HandlerRegistry } from "../../receiver/handlers/router.ts";
import { ModuleLoader } from "./module-loader.ts";
import { isHandlerFile, type LoadedModules } from "./watch-handlers.ts";
import { wrappingRegistry } from "./wrapping-registry.ts";

export type LoadedHandlers = HandlersModule<DataSchemas, string>;

/**
 * Loads a handlers module: a file, or a folder of files (only its `index`, if it has one).
 * TypeScript needs no build. Each file exports by default the result of `defineHandlers`,
 * `(receiver) => void`, or an object from kind to handler. Nothing is cached. Errors that handlers
 * throw have the positions of the source in their stacks. Throws `handlers_invalid`, and so does
 * registering the handlers if there are none.
 */
export async function loadHandlers(cwd: string, path: string, loaded: LoadedModules = {}) {
  const files = handlerFiles(resolve(cwd, path), path);
  const loader = await ModuleLoader.create();
  loaded.tried = loader;
  const modules: LoadedHandlers[] = [];
  for (const file of files) modules.push(await loadFile(loader, file, files.length > 1));
  const register = (registry: HandlerRegistry) => {
    const correcting = wrappingRegistry(registry, (handler) =>
      loader.positions.correcting(handler),
    );
    const registered = modules.map(({ handlers }) => registerHandlers(handlers, correcting));
    if (registered.every(({ handlers, listeners }) => handlers + listeners === 0))
      throw invalid(
        `expected ${path} to register a handler, got none: export by default the result of defineHandlers, ` +
          "a function (receiver) => void, or an object from kind to handler",
      );
    loaded.handlers = registered.reduce((sum, { handlers }) => sum + handlers, 0);
    loaded.inUse = loader;
  };
  const otherKinds = [...new Set(modules.flatMap((module) => module.otherKinds))];
  const schemas = modules.reduce((merged, module) => mergeIn(path, merged, module.schemas), {});
  return defineHandlers<DataSchemas, string>({ otherKinds, schemas, handlers: register });
}

function handlerFiles(full: string, path: string): readonly string[] {
  let files: string[];
  if (path === "")
    throw invalid("expected a file or folder with handlers, got an empty text: name one");
  try {
    if (!statSync(full).isDirectory()) return [full];
    files = readdirSync(full).filter(isHandlerFile);
  } catch (cause) {
    throw invalid(
      `${path} could not be read (${describeFileError(cause)}): name a file or folder with handlers`,
      cause,
    );
  }
  const index = files.find((name) => basename(name, extname(name)) === "index");
  if (index === undefined && files.length === 0)
    throw invalid(`expected handlers in ${path}, got no .ts or .js file: name another path`);
  return (index === undefined ? files.sort() : [index]).map((name) => join(full, name));
}

function mergeIn(path: string, target: DataSchemas, other: DataSchemas): DataSchemas {
  try {
    return mergeSchemas(target, other);
  } catch (cause) {
    throw invalid(`${path}: ${describeError(cause)}`, cause);
  }
}

async function loadFile(
  loader: ModuleLoader,
  file: string,
  oneOfMany: boolean,
): Promise<LoadedHandlers> {
  let exported: unknown;
  try {
    exported = await loader.load(file);
  } catch (cause) {
    // What Node quotes of a file that is not JSON may have line breaks.
    const lines = describeError(cause).split("\n");
    const isJson = lines.at(-1)?.endsWith(" is not valid JSON") === true;
    const line = isJson ? lines.map((part) => part.trim()).join("") : lines[0];
    const [, packageName] = /^Cannot find module '([^.'][^']*)'/.exec(String(line)) ?? [];
    const fix =
      packageName === undefined || isAbsolute(packageName)
        ? "correct what it names"
        : "install it there, or correct its name";
    throw invalid(`could not load ${file}: ${line}; ${fix}`, cause);
  }
  const {
    handlers,
    schemas = {},
    otherKinds = [],
  } = isHandlersModule(exported) ? exported : { handlers: exported };
  if (typeof handlers === "function") return { handlers, schemas, otherKinds };
  if (
    typeof handlers !== "object" ||
    handlers === null ||
    Object.values(handlers).some(
      (handler) => typeof handlerWithOptions(handler).handler !== "function",
    )
  )
    throw invalid(
      `expected ${file} to export by default the result of defineHandlers, a function (receiver) => void, ` +
        "or an object from kind to handler",
    );
  const entries = Object.entries(handlers);
  const prefix = oneOfMany ? `${basename(file, extname(file))}:` : "";
  const register = (registry: HandlerRegistry) => {
    for (const [kind, given] of entries) {
      const { handler, ...options } = handlerWithOptions(given);
      registry.on(kind as "*", handler as Handler, { name: prefix + kind, ...options });
    }
  };
  return { handlers: register, schemas, otherKinds };
}

function invalid(message: string, cause?: unknown): HookporterError {
  return new HookporterError("handlers_invalid", message, cause === undefined ? {} : { cause });
}
