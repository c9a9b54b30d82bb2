import type { Command, Option } from "commander";

/** The commands without subcommands, which do the work. */
export function leaves(command: Command): readonly Command[] {
  return command.commands.flatMap((child) =>
    child.commands.length === 0 ? [child] : leaves(child),
  );
}

/** A command's name without the program's, such as `events list`. */
export function commandName(command: Command): string {
  const above = command.parent?.parent == null ? "" : `${commandName(command.parent)} `;
  return above + command.name();
}

/** Commands that take the settings of another one, since they look at what it would do. */
const SETTINGS_OF: ReadonlyMap<string, string> = new Map([["doctor", "listen"]]);

/** The name under which a command's settings are found, such as `listen` for `doctor`. */
export function settingsName(command: Command): string {
  const name = commandName(command);
  return SETTINGS_OF.get(name) ?? name;
}

/**
 * Flags that mean something different in each command, so that no setting can apply to all
 * commands.
 */
const OWN_MEANINGS: ReadonlySet<string> = new Set([
  "all",
  "count",
  "force",
  "handlers",
  "header",
  "limit",
  "port",
  "state",
  "timeout",
]);

/** Flags that mean something different in one command only, with its name. */
const EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  ["dryRun", "events retry"],
  ["inbox", "init"],
  ["into", "init"],
  ["rate", "events retry"],
  ["strict", "types"],
  ["wait", "check"],
  ["yes", "events erase"],
]);

/**
 * Whether a flag, by its camel-case name, means something different in each command, or in the
 * given one. Its settings name the command.
 */
export function hasOwnMeaning(flag: string, command?: string): boolean {
  return OWN_MEANINGS.has(flag) || (command !== undefined && EXCEPTIONS.get(flag) === command);
}

/** A flag as it is typed, from its camel-case name. */
export function flagName(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/**
 * Flags that widen what a command may do. They count on the command line alone: a folder must not
 * grant them to itself.
 */
const TYPED_ONLY: ReadonlySet<string> = new Set(["allow"]);

/**
 * Whether a flag, by its camel-case name, counts on the command line alone, so that no variable and
 * no file sets it.
 */
export function isTypedOnly(flag: string): boolean {
  return TYPED_ONLY.has(flag);
}

/**
 * A flag's environment variable: `HOOKPORTER_FORWARD_TO`, or `HOOKPORTER_LISTEN_TIMEOUT` if it
 * differs by command.
 */
export function variableName(option: Option, command: Command): string {
  const flag = option.long?.replace(option.negate ? /^--no-/ : /^--/, "") ?? option.attributeName();
  const name = settingsName(command);
  const owner = hasOwnMeaning(option.attributeName(), name) ? `${name}_` : "";
  return `HOOKPORTER_${owner}${flag}`.toUpperCase().replaceAll(/[ -]/g, "_");
}

/**
 * Whether only a variable or the configuration file sets it, so that help and completion do not
 * show it.
 */
export function isSettingOnly(option: Option): boolean {
  return option.hidden;
}
