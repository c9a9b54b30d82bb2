import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Command, InvalidArgumentError, type Option } from "commander";
import { ConfigurationError, describeError, HookporterError } from "../errors.ts";
import type { Io } from "./io.ts";

/** The project's configuration: flags by their camel-case names, for every command that has them. */
export const CONFIG_FILE = "hookporter.config.json";

/**
 * Fills in what the command line left open: from `HOOKPORTER_*`, one variable per flag, then from the project's
 * configuration file. Commands put their defaults below that.
 *
 * @throws HookporterError `usage` for a variable, `config_invalid` for the file
 */
export function applySettings(command: Command, io: Io): void {
  const config = readConfig(io.cwd, command.parent ?? command);
  for (const option of command.options) {
    const name = option.attributeName();
    if (command.getOptionValueSource(name) !== undefined) continue;
    const variable = variableName(option);
    const fromEnv = io.env[variable];
    if (fromEnv !== undefined && fromEnv !== "") {
      command.setOptionValueWithSource(name, readValue(option, fromEnv, variable, "usage"), "env");
    } else if (config[name] !== undefined) {
      const where = `${CONFIG_FILE} (${name})`;
      command.setOptionValueWithSource(
        name,
        readValue(option, config[name], where, "config_invalid"),
        "config",
      );
    }
  }
}

/** The environment variable of a flag: `--forward-to` is `HOOKPORTER_FORWARD_TO`. */
export function variableName(option: Option): string {
  const flag = option.long?.replace(/^--(?:no-)?/, "") ?? option.attributeName();
  return `HOOKPORTER_${flag.toUpperCase().replaceAll("-", "_")}`;
}

function readConfig(cwd: string, root: Command): Readonly<Record<string, unknown>> {
  const path = join(cwd, CONFIG_FILE);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw new ConfigurationError("config_invalid", `${CONFIG_FILE} cannot be read: ${describeError(thrown)}`);
  }
  let config: unknown;
  try {
    config = JSON.parse(text);
  } catch (thrown) {
    throw new ConfigurationError("config_invalid", `${CONFIG_FILE} is not JSON: ${describeError(thrown)}`);
  }
  if (typeof config !== "object" || config === null || Array.isArray(config)) {
    throw new ConfigurationError("config_invalid", `expected ${CONFIG_FILE} to hold a JSON object`);
  }
  const known = new Set(allOptions(root).map((option) => option.attributeName()));
  const unknown = Object.keys(config).find((key) => !known.has(key));
  if (unknown !== undefined) {
    throw new ConfigurationError(
      "config_invalid",
      `${CONFIG_FILE} has an unknown key ${JSON.stringify(unknown)}: keys are flags in camel case, such as forwardTo` +
        (/secret/i.test(unknown) ? "; secrets never go there, set HOOKPORTER_SECRET" : ""),
    );
  }
  return config as Record<string, unknown>;
}

function allOptions(command: Command): readonly Option[] {
  const root = command.parent ?? command;
  return [root, ...root.commands, ...root.commands.flatMap((child) => child.commands)].flatMap(
    (one) => one.options,
  );
}

function readValue(option: Option, given: unknown, where: string, code: "usage" | "config_invalid"): unknown {
  const fail = (expected: string) => new HookporterError(code, `${where}: expected ${expected}`);
  if (option.isBoolean()) {
    if (given === true || given === "true" || given === "1") return !option.negate;
    if (given === false || given === "false" || given === "0") return option.negate;
    throw fail("true or false");
  }
  const texts = Array.isArray(given) ? given : [given];
  if (texts.some((text) => typeof text !== "string" && typeof text !== "number"))
    throw fail("a text or a number");
  try {
    let value: unknown;
    for (const text of texts)
      value = option.parseArg ? option.parseArg(String(text), value as never) : String(text);
    return value;
  } catch (thrown) {
    if (thrown instanceof InvalidArgumentError) throw fail(thrown.message.replace(/^expected /i, ""));
    throw thrown;
  }
}
