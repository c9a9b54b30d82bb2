import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { describeError, HookporterError } from "../../errors.ts";
import { isRecord } from "../../is-record.ts";
import { describeFileError } from "../files/file-error.ts";
import { hidden } from "../shown-value.ts";
import { commandName, hasOwnMeaning, leaves, settingsName } from "./command-tree.ts";

/** The project's configuration: flags by their camel-case names, shared or per command. */
export const CONFIG_FILE = "hookporter.config.json";

/** One value of the configuration file, and its position. */
export interface ConfigValue {
  readonly value: unknown;
  readonly where: string;
}

/** Looks up a command's flag in the file. */
export type Config = (command: Command, flag: string) => ConfigValue | undefined;

/**
 * Reads the file if it exists: `{ "inbox": … }` applies to every command that has the flag, `{ "listen": { "timeout": … } }`
 * to one command, and takes precedence.
 *
 * @throws HookporterError `config_invalid`
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
    const name = settingsName(command);
    for (const under of new Set([commandName(command), name])) {
      const section = shared[under];
      if (!isRecord(section) || !Object.hasOwn(section, flag)) continue;
      return { value: section[flag], where: `${CONFIG_FILE} (${under}: ${flag})` };
    }
    if (!Object.hasOwn(shared, flag) || names.has(flag)) return undefined; // flags of the command with that name
    if (hasOwnMeaning(flag, name)) return undefined; // set for the other commands
    return { value: shared[flag], where: `${CONFIG_FILE} (${flag})` };
  };
}

function parseFile(path: string): Readonly<Record<string, unknown>> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw invalid(`cannot be read: ${describeFileError(thrown)}`);
  }
  let config: unknown;
  try {
    config = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (thrown) {
    // Node quotes the text around the error, which may be a secret.
    throw invalid(`is not JSON: ${describeError(thrown).replace(/,? (?:\.\.\.)?".*$/s, "")}`);
  }
  if (!isRecord(config)) throw invalid("has the wrong type: expected a JSON object");
  return config;
}

function checkShared(key: string, value: unknown, commands: readonly Command[]): void {
  const shown = shownKey(key);
  const names = commands.map((command) => JSON.stringify(commandName(command))).join(", ");
  const having = commands.filter((command) => flagsOf(command).includes(key));
  const [first] = having.map(commandName);
  if (first === undefined) {
    const secret = /secret/i.test(key) ? "; do not put secrets here, set HOOKPORTER_SECRET" : "";
    const credential = /api_?key|token/i.test(key) ? "; do not put keys here, set HOOKPORTER_API_KEY" : "";
    throw invalid(
      `has an unknown key ${shown}: expected a flag in camel case, such as forwardTo, or one of ${names}${secret}${credential}`,
    );
  }
  if (isRecord(value)) {
    throw invalid(
      `has an object under ${shown}, which is a flag: expected a value, or an object under one of ${names}`,
    );
  }
  if (!hasOwnMeaning(key)) return;
  const example = JSON.stringify({ [first]: { [key]: "…" } });
  throw invalid(
    `sets ${shown} for all commands, but it means something different in each: set it for one, such as ${example}`,
  );
}

function checkSection(command: Command, section: unknown): void {
  const name = JSON.stringify(commandName(command));
  if (!isRecord(section))
    throw invalid(`has a wrong value under ${name}: expected an object with flags of that command`);
  const flags = flagsOf(command);
  const wrong = Object.keys(section).find((key) => !flags.includes(key));
  if (wrong === undefined) return;
  throw invalid(
    `has an unknown key ${shownKey(wrong)} under ${name}: expected one of ${[...new Set(flags)].join(", ")}`,
  );
}

/** A valid key has only letters, and at most 30; a secret pasted as a key is longer, or has digits. */
function shownKey(key: string): string {
  return /^(?!(?:whsec|sk|pk)_)[A-Za-z _-]{1,30}$/.test(key) ? JSON.stringify(key) : hidden(key);
}

function invalid(what: string): HookporterError {
  return new HookporterError("config_invalid", `${CONFIG_FILE} ${what}`);
}

function flagsOf(command: Command): readonly string[] {
  return command.options.map((option) => option.attributeName());
}
