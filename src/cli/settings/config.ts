import { type Command, InvalidArgumentError, type Option } from "commander";
import { HookporterError } from "../../errors.ts";
import type { CliContext } from "../context.ts";
import { refuseFormerVariables } from "../former-words.ts";
import { hasOwnMeaning, settingsName } from "./command-tree.ts";
import { readConfig } from "./config-file.ts";

/**
 * Sets the options missing on the command line from `HOOKPORTER_*`, one variable per flag, then from the project's
 * configuration file. Commands apply their defaults afterwards. Adds the strings taken from the file to `configured`.
 *
 * @throws HookporterError `usage` for a variable, `config_invalid` for the file
 */
export async function applySettings(
  command: Command,
  { io, configured }: Pick<CliContext, "io" | "configured">,
): Promise<void> {
  const config = await readConfig(io, programOf(command));
  if (settingsName(command) === "listen") refuseFormerVariables(io.env);
  for (const option of command.options) {
    const name = option.attributeName();
    if (command.getOptionValueSource(name) !== undefined) continue;
    const variable = variableName(option, command);
    const fromEnv = io.env[variable];
    const fromConfig = config(command, name);
    if (fromEnv !== undefined && fromEnv !== "") {
      command.setOptionValueWithSource(name, readValue(option, fromEnv, variable, "usage"), "env");
    } else if (fromConfig !== undefined) {
      const { value, where } = fromConfig;
      configured.push(...[value].flat().filter((one) => typeof one === "string"));
      command.setOptionValueWithSource(name, readValue(option, value, where, "config_invalid"), "config");
    }
  }
}

/** A flag's environment variable: `HOOKPORTER_FORWARD_TO`, or `HOOKPORTER_LISTEN_TIMEOUT` if it differs by command. */
export function variableName(option: Option, command: Command): string {
  const flag = option.long?.replace(option.negate ? /^--no-/ : /^--/, "") ?? option.attributeName();
  const name = settingsName(command);
  const owner = hasOwnMeaning(option.attributeName(), name) ? `${name}_` : "";
  return `HOOKPORTER_${owner}${flag}`.toUpperCase().replaceAll(/[ -]/g, "_");
}

/** Whether a flag was typed on the command line, and so overrides settings. */
export function isTyped(command: Command, flag: string): boolean {
  return command.getOptionValueSource(flag) === "cli";
}

/** Removes some flags from the options unless they were typed: a setting must not make a plain command fail. */
export function withoutSettings<Options extends object>(
  options: Options,
  command: Command,
  flags: readonly (keyof Options & string)[],
): Options {
  const dropped = new Set<string>(flags.filter((flag) => !isTyped(command, flag)));
  return Object.fromEntries(Object.entries(options).filter(([name]) => !dropped.has(name))) as Options;
}

function programOf(command: Command): Command {
  return command.parent === null ? command : programOf(command.parent);
}

function readValue(option: Option, given: unknown, where: string, code: "usage" | "config_invalid"): unknown {
  const fail = (expected: string) => new HookporterError(code, `${where}: expected ${expected}`);
  if (option.isBoolean()) {
    if (given === true || given === "true" || given === "1") return !option.negate;
    if (given === false || given === "false" || given === "0") return option.negate;
    throw fail("true or false");
  }
  const texts: readonly unknown[] = Array.isArray(given) ? given : [given];
  let value: unknown;
  for (const text of texts) {
    if (typeof text !== "string" && typeof text !== "number") throw fail("a string or a number");
    const before = value;
    value = parse(option, String(text), before, fail);
    // A flag that takes a list adds to it; any other flag would silently keep only the last value.
    if (before !== undefined && !isLonger(value, before)) throw fail("one value, not a list");
  }
  if (texts.length === 0) throw fail("at least one value");
  return value;
}

function parse(option: Option, text: string, before: unknown, fail: (expected: string) => Error): unknown {
  try {
    return option.parseArg ? option.parseArg(text, before as never) : text;
  } catch (thrown) {
    if (thrown instanceof InvalidArgumentError) throw fail(thrown.message.replace(/^expected /i, ""));
    throw thrown;
  }
}

function isLonger(list: unknown, before: unknown): boolean {
  return Array.isArray(list) && Array.isArray(before) && list.length > before.length;
}
