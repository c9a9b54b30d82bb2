import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, join, normalize, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { types } from "node:util";
import type { Jiti, ModuleCache, TransformOptions } from "jiti";
import { isError, isErrorNamed } from "../../base/guards.ts";
import { isOwnCode } from "../../base/package/package-root.ts";
import { realPath } from "../../base/system/paths.ts";
import { SourcePositions } from "./source-positions.ts";

const SOURCE = /\.[cm]?[jt]s$/;
const INLINE_MAP = "//# sourceMappingURL=data:application/json;";
const SYNTAX_ERROR = "exports.__JITI_ERROR__ = ";

/**
 * What the compiler makes of decorators, which it applies in an old form, and wrongly to class
 * fields.
 */
const DECORATED = /\b_applyDecoratedDescriptor\(|= Reflect\.metadata\?\.\("design:/;
const COMPILE_FIRST = "compile it with TypeScript first, and name the JavaScript";

const require = createRequire(import.meta.url);

/** What Node had required before the first handlers were loaded, which is not theirs. */
let notTheirs: ReadonlySet<string> | undefined;

/** The user's ES modules that Node has loaded, and so never loads again. */
const importedByNode = new Set<string>();

/** A file that shows how far jiti shifts the first line of each. */
const PROBE_FILE = "/hookporter-probe.js";
const PROBE = "exports.stack = new Error().stack";

/** A file that the compiler cannot parse. */
class ParseError extends SyntaxError {}

/**
 * Loads a user's modules, and all that they import outside `node_modules`, as they are on disk now;
 * a new loader loads all of it again. Each file is compiled and run here rather than by Node, which
 * can load an ES module only once.
 *
 * jiti does the compiling. It asks its cache for each file before it loads it, so our cache decides
 * how a file is loaded: the user's own files by `#evaluate`, and everything else as Node or jiti
 * would.
 */
export class ModuleLoader {
  readonly #jiti: Jiti;
  readonly #modules: ModuleCache = Object.create(null);
  /** Files whose evaluation has not ended, such as one with a top-level await. */
  readonly #pending = new Map<string, Promise<unknown>>();
  readonly #waits = new Map<string, Set<string>>();
  readonly #files = new Set<string>();
  /** Characters that jiti puts before the code of a file. */
  readonly #prefix: Readonly<Record<"sync" | "async", number>>;
  /** Milliseconds since the epoch, to compare with the times of files. */
  readonly startedAt = Date.now();
  /** Where the code that was compiled is in the user's files. */
  readonly positions = new SourcePositions();

  static async create(): Promise<ModuleLoader> {
    const { createJiti } = await import("jiti"); // only if there are handlers, since it is large
    return new ModuleLoader(createJiti);
  }

  private constructor(createJiti: typeof import("jiti").createJiti) {
    notTheirs ??= new Set(Object.keys(require.cache));
    for (const file of requiredByNode()) {
      if (isLoadedForGood(file)) importedByNode.add(file);
      delete require.cache[file];
    }
    const settings = { moduleCache: false, fsCache: false, tsconfigPaths: true };
    const compiler = createJiti(import.meta.url, { ...settings, sourceMaps: true });
    this.#jiti = createJiti(import.meta.url, {
      ...settings,
      transform: (options) => ({ code: this.#compile(compiler, options) }),
    });
    this.#prefix = { sync: this.#measurePrefix(false), async: this.#measurePrefix(true) };
  }

  /** The module's default export, or the module if it has none. */
  async load(path: string): Promise<unknown> {
    const module = await this.loadModule(path);
    return (module as { default?: unknown } | null | undefined)?.default ?? module;
  }

  async loadModule(path: string): Promise<unknown> {
    const file = realPath(path);
    try {
      return await this.#evaluate(file, file, false);
    } catch (cause) {
      this.#noteMissing(cause);
      if (!(cause instanceof ParseError) || !/\.m?js$/.test(file)) throw cause;
      return this.#importNatively(file, cause);
    }
  }

  /**
   * The user's files that were loaded or could not be, so that a change to one is a reason to load
   * again.
   */
  get files(): readonly string[] {
    // jiti has forward slashes on Windows
    return [...this.#files, ...requiredByNode()].map(normalize);
  }

  /** Runs a file of the user's; returns its module, or a promise of it. */
  #evaluate(file: string, importer: string, synchronously: boolean): unknown {
    this.#files.add(file);
    const source = readFileSync(file, "utf8");
    const sync = synchronously || isCommonJs(file, source);
    // before it runs, since what it imports may import the importer
    if (!sync) this.#wait(importer, file);
    const cache = this.#cacheFor(file, sync);
    const options = {
      filename: file,
      ext: extname(file),
      cache,
      async: !sync,
      forceTranspile: true,
    };
    try {
      const module = this.#jiti.evalModule(source, options);
      if (!sync) this.#awaitModule(file, module as Promise<unknown>);
      return module;
    } catch (cause) {
      this.#forget(file);
      throw cause;
    }
  }

  /**
   * The cache that jiti sees when a file imports or requires others: it asks it for each, by its
   * path.
   */
  #cacheFor(importer: string, sync: boolean): ModuleCache {
    return new Proxy(this.#modules, {
      get: (_, file) => (typeof file === "string" ? this.#lookUp(file, importer, sync) : undefined),
    });
  }

  /** A module in the form of Node's cache; none if jiti should load it. */
  #lookUp(file: string, importer: string, sync: boolean): ModuleCache[string] | undefined {
    if (this.#modules[file] === undefined && !this.#pending.has(file)) {
      if (!SOURCE.test(file) || !isTheirs(file)) return sync ? requireNatively(file) : undefined;
      try {
        this.#evaluate(file, importer, sync);
      } catch (cause) {
        if (!(cause instanceof ParseError) || sync || !/\.m?js$/.test(file)) throw cause;
        this.#awaitModule(file, this.#importNatively(file, cause));
      }
    }
    const pending = this.#pending.get(file);
    // In a circle of imports, one file has to do with the exports that another has so far.
    if (pending === undefined || sync || this.#isWaiting(file, importer))
      return this.#modules[file];
    this.#wait(importer, file);
    return asModule(pending);
  }

  #awaitModule(file: string, module: Promise<unknown>): void {
    const ended = () => {
      this.#pending.delete(file);
      for (const files of this.#waits.values()) files.delete(file);
    };
    this.#pending.set(file, module);
    module.then(ended, () => {
      ended();
      this.#forget(file);
    });
  }

  #wait(importer: string, file: string): void {
    const files = this.#waits.get(importer) ?? new Set();
    this.#waits.set(importer, files.add(file));
  }

  /** Whether a file waits for another, itself or through others. */
  #isWaiting(file: string, other: string, seen = new Set<string>()): boolean {
    if (file === other) return true;
    if (seen.has(file)) return false;
    seen.add(file);
    return [...(this.#waits.get(file) ?? [])].some((next) => this.#isWaiting(next, other, seen));
  }

  /** Lets a file that failed be loaded again, for an `import()` that is repeated. */
  #forget(file: string): void {
    delete this.#modules[file];
    for (const files of this.#waits.values()) files.delete(file);
  }

  /** For syntax that Node knows and the compiler does not. */
  async #importNatively(file: string, failed: ParseError): Promise<unknown> {
    try {
      const exports = await import(pathToFileURL(file).href);
      importedByNode.add(file);
      this.#modules[file] = asModule(exports);
      return exports;
    } catch (cause) {
      throw isErrorNamed("SyntaxError", cause) ? failed : cause; // the compiler says which line
    }
  }

  /**
   * Counts a file that was not found, or that is broken JSON, among the files, so that a change to
   * it is noticed.
   */
  #noteMissing(cause: unknown): void {
    const [, json] = isErrorNamed("SyntaxError", cause)
      ? (/^(.*\.json): /.exec(cause.message) ?? [])
      : [];
    if (json !== undefined) this.#files.add(json); // Node forgets what it required in vain
    if (!isError(cause) || !("requireStack" in cause) || !Array.isArray(cause.requireStack)) return;
    const [, path] = /^Cannot find module '(\.[^']*)'/.exec(cause.message) ?? [];
    const [importer] = cause.requireStack;
    if (path !== undefined && typeof importer === "string")
      this.#files.add(resolve(dirname(importer), path));
  }

  #compile(compiler: Jiti, options: TransformOptions): string {
    const { source, filename = "", ts = false, async = false } = options;
    if (source === PROBE) return source;
    if (!ts && !async && isScript(source)) {
      this.positions.add(filename, { source, code: source, prefix: this.#prefix.sync });
      return source;
    }
    // it would replace what the compiler sets for its source maps
    const { babel: _, ...rest } = options;
    const compiled = compiler.transform(rest);
    if (compiled.startsWith(SYNTAX_ERROR)) throw parseError(compiled);
    if (DECORATED.test(compiled))
      throw new Error(`expected no decorators, got some in ${filename}: ${COMPILE_FIRST}`);
    importedByNode.delete(filename);
    const end = compiled.lastIndexOf(INLINE_MAP);
    const code = end === -1 ? compiled : compiled.slice(0, end);
    const [, map] = end === -1 ? [] : compiled.slice(end).split("base64,", 2);
    if (map !== undefined) {
      const json = Buffer.from(map, "base64").toString("utf8");
      this.positions.add(filename, {
        source,
        code,
        map: json,
        prefix: async ? this.#prefix.async : this.#prefix.sync,
      });
    }
    return code;
  }

  #measurePrefix(async: boolean): number {
    const cache: ModuleCache = Object.create(null);
    this.#jiti.evalModule(PROBE, { filename: PROBE_FILE, cache, async, forceTranspile: true });
    const [, column = ""] = /:1:(\d+)/.exec(String(cache[PROBE_FILE]?.exports.stack)) ?? [];
    return Number(column) - 1 - PROBE.indexOf("new");
  }
}

/**
 * Whether Node, and not a loader, loaded a file as an ES module: then changes to it take effect
 * only after a restart.
 */
export function isLoadedForGood(file: string): boolean {
  return importedByNode.has(file) || types.isModuleNamespaceObject(require.cache[file]?.exports);
}

/** Whether a file is the user's own: neither a package nor a part of this one. */
function isTheirs(file: string): boolean {
  return !/[\\/]node_modules[\\/]/.test(file) && !isOwnCode(normalize(file));
}

/** The user's files that Node loaded with `require`, JSON included. */
function requiredByNode(): readonly string[] {
  return Object.keys(require.cache).filter(
    (file) => notTheirs?.has(file) !== true && isTheirs(file),
  );
}

/**
 * A package required by a CommonJS file, as Node loads it; none for a package that Node cannot
 * load.
 */
function requireNatively(file: string): ModuleCache[string] | undefined {
  if (!/\.[cm]?js$/.test(file)) return undefined;
  try {
    return asModule(require(file));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ERR_REQUIRE_ESM" || code === "ERR_REQUIRE_ASYNC_MODULE") return undefined;
    throw cause;
  }
}

/** jiti reads only the exports of what its cache returns. */
function asModule(exports: unknown): ModuleCache[string] {
  return { exports } as ModuleCache[string];
}

/** Whether a file is CommonJS, which is run to its end before `require` returns. */
function isCommonJs(file: string, source: string): boolean {
  const extension = extname(file);
  if (extension === ".cjs") return true;
  if (/\.m[jt]s$/.test(extension)) return false;
  if (extension === ".js" && packageType(dirname(file)) === "module") return false;
  const code = source.replace(/\/\*[\s\S]*?(?:\*\/|$(?![\s\S]))|(?<=^|\s)\/\/.*$/gm, "");
  if (/\bcreateRequire\b/.test(code)) return false;
  if (/\brequire\s*\(|\bmodule\.exports\b|^[ \t]*export\s*=/m.test(code)) return true;
  return extension === ".js" && isScript(code);
}

/**
 * Whether JavaScript has no syntax of an ES module, so that it runs as it is. Errs on the side of
 * "no".
 */
function isScript(source: string): boolean {
  return !/\bimport\b|^[ \t]*export\b|;\s*export\b/m.test(source);
}

/** The `type` in the nearest package.json. */
function packageType(folder: string): unknown {
  try {
    return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).type;
  } catch {
    return dirname(folder) === folder ? undefined : packageType(dirname(folder));
  }
}

function parseError(compiled: string): ParseError {
  const { filename, line, column, message } = JSON.parse(compiled.slice(SYNTAX_ERROR.length));
  return new ParseError(`${String(message).trim()} (${filename}:${line}:${column + 1})`);
}
