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

/**
 * Reads the configuration file, unchecked; `undefined` if there is none. A module is loaded as
 * handlers are if `runsCode`; otherwise it counts as missing. Throws `config_invalid`.
 */
export async function readSource(
  io: Pick<Io, "cwd" | "stderr">,
  variables: Variables,
  runsCode: boolean,
) {
  const names = CONFIG_FILES.filter((name) => runsCode || name.endsWith(".json"));
  const [file, other] = names.filter((name) =>
    reading(name, () => statSync(join(io.cwd, name), { throwIfNoEntry: false })),
  );
  if (file === undefined) return undefined;
  if (other !== undefined)
    throw new HookporterError(
      "config_invalid",
      `expected one configuration file, got ${file} and ${other}: move the settings to one of them, and remove the other`,
    );
  const path = join(io.cwd, file);
  if (file.endsWith(".json")) return { file, content: parseJson(path, file, variables) };
  // only if there is one, since the loader is large
  const { loadConfigModule } = await import("./config-module.ts");
  return { file, content: withoutUndefined(await loadConfigModule(path, file, io)) };
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
  variables: Variables,
): Readonly<Record<string, unknown>> {
  const text = reading(file, () => readText(path));
  let config: unknown;
  let key: string | undefined;
  try {
    config = JSON.parse(text.replace(/^\uFEFF/, ""), (_, value) => {
      if (typeof value !== "string" || !value.includes("${")) return value;
      key ??= KEY.exec(value)?.[1];
      return expandVariables(value, variables) || undefined;
    });
  } catch (thrown) {
    throw invalidConfig(file, `is not JSON: ${jsonError(thrown)}`);
  }
  if (key !== undefined)
    throw invalidConfig(
      file,
      `names the variable ${key}, which holds a key: remove it, since a value may be sent`,
    );
  if (!isRecord(config)) throw invalidConfig(file, "has the wrong type: expected a JSON object");
  return config;
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
