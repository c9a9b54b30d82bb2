import { statSync } from "node:fs";
import { join } from "node:path";
import { HookporterError } from "../../base/errors.ts";
import { describeFileError } from "../../base/file-error.ts";
import { isRecord } from "../../base/guards.ts";
import { readText } from "../../base/system/files.ts";
import { invalidConfig } from "../input-errors.ts";
import type { Io } from "../io.ts";
import { expandVariables, type Variables } from "../project/env-text.ts";
import { jsonError } from "../project/read-project.ts";

/** The files that can hold the project's configuration. */
export const CONFIG_FILES = ["json", "ts", "mts", "js", "mjs"].map(
  (type) => `hookporter.config.${type}`,
);

/** A configuration file that was found. */
export interface ConfigSource {
  readonly file: string;
  /** Unchecked; empty for a module, until it is loaded. */
  readonly content: Readonly<Record<string, unknown>>;
  /** As `content`, but variables of the process's environment are names, such as `${NAME}`. */
  readonly written: Readonly<Record<string, unknown>>;
  /** Loads a module, as handlers are; `undefined` for JSON. Throws `config_invalid`. */
  readonly load: (() => Promise<Readonly<Record<string, unknown>>>) | undefined;
}

/** What `${NAME}` in a JSON file stands for; the process's environment takes precedence. */
interface FileVariables {
  readonly env: Variables;
  readonly inFile: Variables;
}

/** Finds the configuration file; `undefined` if there is none. Throws `config_invalid`. */
export function findSource(
  io: Pick<Io, "cwd" | "stderr">,
  variables: FileVariables,
): ConfigSource | undefined {
  const [file, other] = CONFIG_FILES.filter((name) =>
    reading(name, () => statSync(join(io.cwd, name), { throwIfNoEntry: false })),
  );
  if (file === undefined) return undefined;
  if (other !== undefined)
    throw new HookporterError(
      "config_invalid",
      `expected one configuration file, got ${file} and ${other}: move the settings to one of them, and remove the other`,
    );
  const path = join(io.cwd, file);
  if (file.endsWith(".json")) return { file, ...parseJson(path, file, variables), load: undefined };
  const load = async () => {
    // only if there is one, since the loader is large
    const { loadConfigModule } = await import("./config-module.ts");
    return withoutUndefined(await loadConfigModule(path, file, io));
  };
  return { file, content: {}, written: {}, load };
}

function reading<Value>(file: string, read: () => Value): Value {
  try {
    return read();
  } catch (thrown) {
    throw invalidConfig(file, `cannot be read: ${describeFileError(thrown)}`);
  }
}

/** A variable with a key or a secret, which a file could have sent to an address of its own. */
const KEY = /\$\{(HOOKPORTER_(?:SECRET|API_KEY|ACCESS_TOKEN)\w*)/;

/**
 * A text that names a variable, `${NAME}` or `${NAME:-otherwise}`, is filled in. One that ends
 * empty counts as missing.
 */
function parseJson(
  path: string,
  file: string,
  { env, inFile }: FileVariables,
): Pick<ConfigSource, "content" | "written"> {
  const text = reading(file, () => readText(path)).replace(/^\uFEFF/, "");
  const names = Object.entries(env).flatMap(([name, value]) =>
    value ? [[name, `\${${name}}`] as const] : [],
  );
  let key: string | undefined;
  const parse = (variables: Variables): unknown =>
    JSON.parse(text, (_, value) => {
      if (typeof value !== "string" || !value.includes("${")) return value;
      key ??= KEY.exec(value)?.[1];
      return expandVariables(value, variables) || undefined;
    });
  let content: unknown;
  let written: unknown;
  try {
    content = parse({ ...inFile, ...env });
    written = parse({ ...inFile, ...Object.fromEntries(names) });
  } catch (thrown) {
    throw invalidConfig(file, `is not JSON: ${jsonError(thrown)}`);
  }
  if (key !== undefined)
    throw invalidConfig(
      file,
      `names the variable ${key}, which holds a key: remove it, since a value may be sent`,
    );
  if (isRecord(content) && isRecord(written)) return { content, written };
  throw invalidConfig(file, "has the wrong type: expected a JSON object");
}

/** A key that is `undefined`, such as from a variable that is not set, counts as missing. */
function withoutUndefined(
  config: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const set = Object.entries(config).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    set.map(([key, value]) => [key, isRecord(value) ? withoutUndefined(value) : value]),
  );
}
