import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { ConfigurationError, describeError } from "../errors.ts";
import { commandName, hasOwnMeaning, leaves } from "./command-tree.ts";

/** The project's configuration: flags by their camel-case names, shared or by command. */
export const CONFIG_FILE = "hookporter.config.json";

/** One value of the configuration file, and where it stands in it. */
export interface ConfigValue {
  readonly value: unknown;
  readonly where: string;
}

/** Looks up what the file says about a command's flag. */
export type Config = (command: Command, flag: string) => ConfigValue | undefined;

/**
 * Reads the file, if there is one: `{ "inbox": … }` for every command that has the flag, `{ "listen": { "timeout": … } }`
 * for one command, which comes first.
 *
 * @throws ConfigurationError `config_invalid`
 */
export function readConfig(cwd: string, program: Command): Config {
  const shared = parseFile(join(cwd, CONFIG_FILE));
  const commands = leaves(program);
  const names = new Map(commands.map((command) => [commandName(command), command]));
  for (const [key, value] of Object.entries(shared)) {
    const command = names.get(key);
    if (command === undefined) checkShared(key, value, commands);
    else checkSection(command, value);
  }
  return (command, flag) => {
    const name = commandName(command);
    const section = shared[name];
    if (isObject(section) && Object.hasOwn(section, flag)) {
      return { value: section[flag], where: `${CONFIG_FILE} (${name}: ${flag})` };
    }
    if (!Object.hasOwn(shared, flag)) return undefined;
    return { value: shared[flag], where: `${CONFIG_FILE} (${flag})` };
  };
}

function parseFile(path: string): Readonly<Record<string, unknown>> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw invalid(`cannot be read: ${describeError(thrown)}`);
  }
  let config: unknown;
  try {
    config = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (thrown) {
    throw invalid(`is not JSON: ${describeError(thrown)}`);
  }
  if (!isObject(config)) throw invalid("does not hold what it should: expected a JSON object");
  return config;
}

function checkShared(key: string, value: unknown, commands: readonly Command[]): void {
  const having = commands.filter((command) => flagsOf(command).includes(key));
  const names = commands.map((command) => JSON.stringify(commandName(command)));
  if (having.length === 0 || isObject(value)) throw unknown(key, `; commands are ${names.join(", ")}`);
  if (!hasOwnMeaning(key)) return;
  const example = `{ ${JSON.stringify(having.map(commandName)[0])}: { ${JSON.stringify(key)}: … } }`;
  throw invalid(
    `has ${JSON.stringify(key)} for all commands, each of which means another thing: write ${example}`,
  );
}

function checkSection(command: Command, section: unknown): void {
  const name = JSON.stringify(commandName(command));
  if (!isObject(section))
    throw invalid(`has ${name} as something else: expected an object with flags of that command`);
  const wrong = Object.keys(section).find((key) => !flagsOf(command).includes(key));
  if (wrong !== undefined) throw unknown(wrong, ` that ${name} has`);
}

function unknown(key: string, more: string): ConfigurationError {
  const secret = /secret/i.test(key) ? "; secrets never go there, set HOOKPORTER_SECRET" : "";
  const expected = `expected flags in camel case, such as forwardTo${more}${secret}`;
  return invalid(`has an unknown key ${JSON.stringify(key)}: ${expected}`);
}

function invalid(what: string): ConfigurationError {
  return new ConfigurationError("config_invalid", `${CONFIG_FILE} ${what}`);
}

function flagsOf(command: Command): readonly string[] {
  return command.options.map((option) => option.attributeName());
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
