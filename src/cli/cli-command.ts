import { type Argument, Command, type ErrorOptions, Help, Option } from "commander";
import { ownCommand } from "../base/package/own-command.ts";
import { DEFAULT_ENDPOINT } from "../http/default-endpoint.ts";
import { UnexpectedValue, usageError } from "./input-errors.ts";
import { variableName } from "./settings/command-tree.ts";
import { UNLESS_RUNNING } from "./settings/default-values.ts";
import { readEndpoint, readHeaderName } from "./settings/values.ts";
import { hidden } from "./shown-value.ts";

/** The width of a terminal at first. */
const WIDTH = 80;

/** The most lines of help, without its examples, that are shown as they are. */
const SCREEN = 34;

/** Mistakes about which the help says more than the message. */
const SEE_HELP = new Set(["commander.missingArgument", "commander.unknownOption"]);

/**
 * A command, some of whose flags are common. If its help is longer than a screen, it shows those
 * alone.
 */
export class CliCommand extends Command {
  readonly #common = new Set<Option>();

  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  /** A mistake in the command line, with where to look. */
  override error(message: string, { code = "" }: ErrorOptions = {}): never {
    const lines = message.replace(/^error: /, "").split(/\n\s*/);
    throw usageError(lines.map((line) => line.trimEnd()).join(" ") + this.#help(code));
  }

  /** Called by commander for a flag without its value. */
  optionMissingArgument(option: Option): never {
    const [name = "", value = ""] = option.flags.split(" ");
    throw usageError(`expected ${value} after ${name}, got nothing: see --help`);
  }

  #help(code: string): string {
    if (code === "commander.unknownCommand") {
      const group = this.parent === null ? "" : `${this.name()} `;
      return `: run \`${ownCommand(`${group}--help`)}\` for the list`;
    }
    return SEE_HELP.has(code) ? ": see --help" : "";
  }

  override addOption(option: Option): this {
    // What is given where a name is expected may be the secret itself.
    const takesName = /^--(?:[a-z-]*env|header)$/.test(option.long ?? "");
    nameIn(option, (value) => {
      const shown = takesName ? hidden(value) : value;
      return `option '${option.flags}' argument '${shown}' is invalid`;
    });
    return super.addOption(option);
  }

  override addArgument(argument: Argument): this {
    nameIn(argument, (value) => `argument '${argument.name()}' value '${value}' is invalid`);
    return super.addArgument(argument);
  }

  /** As `option`, for a flag that most people need. */
  common<Value>(
    flags: string,
    description: string,
    reader?: (text: string, before: Value) => Value,
  ): this {
    if (reader === undefined) this.option(flags, description);
    else this.option(flags, description, reader);
    for (const option of this.options.slice(-1)) this.#common.add(option);
    return this;
  }

  /**
   * As `option`, for what a project says once: a variable or the configuration file sets it, the
   * command line does not.
   */
  setting<Value>(
    flags: string,
    description: string,
    reader?: (text: string, before: Value) => Value,
  ): this {
    const option = new Option(flags, description).hideHelp();
    if (reader !== undefined) option.argParser(reader);
    // Before commander's own listener, so that its value is not read first.
    this.on(`option:${option.name()}`, () => {
      const key = option.attributeName();
      throw usageError(
        `expected no ${option.long}, which is a setting: set ${key} in hookporter.config.json, or ${variableName(option, this)}`,
      );
    });
    return this.addOption(option);
  }

  /** As `setting`, for the settings of another command that this one reads too. */
  settingsOf(other: Command, names: readonly string[]): this {
    for (const { flags, description, parseArg } of other.options.filter((option) =>
      names.includes(option.attributeName()),
    ))
      this.setting(flags, description, parseArg);
    return this;
  }

  /**
   * The name of the signature header. A flag of the commands that look at one signature, a setting
   * of the others.
   */
  signatureHeader(way: "option" | "setting" = "setting"): this {
    const description = "name of the signature header (default: x-service-signature)";
    return this[way]("--signature-header <name>", description, readHeaderName);
  }

  /** The flag of the commands that send to an endpoint. */
  endpointUrl(): this {
    const description = `endpoint URL or local port (default: ${UNLESS_RUNNING} ${DEFAULT_ENDPOINT})`;
    return this.common("--url <url>", description, readEndpoint);
  }

  /** A call to show below the help. */
  example(call: string): this {
    return this.addHelpText("after", `\nExample:\n  ${call}`);
  }

  isCommon(option: Option): boolean {
    return this.#common.has(option);
  }
}

/** Lets errors of the reader of an option or an argument say what was read. */
function nameIn(read: Option | Argument, problem: (value: string) => string): void {
  const { parseArg } = read;
  if (parseArg === undefined) return;
  const named = (value: string, before: never): unknown => {
    try {
      return parseArg(value, before);
    } catch (thrown) {
      if (!(thrown instanceof UnexpectedValue)) throw thrown;
      throw usageError(`${problem(value)}: ${thrown.message}`, thrown);
    }
  };
  // With what the reader says of itself, for settings and the completion.
  read.parseArg = Object.assign(named, parseArg);
}

/**
 * How help is printed: shortened to the common flags, without groups, if it is long and `--all` was
 * not typed too.
 */
export function helpOptions(argv: readonly string[]): Partial<Help> {
  const whole = Object.assign(new Help(), { helpWidth: WIDTH });
  const flat: Help = Object.assign(new Help(), {
    groupItems: <Item>(_: readonly Item[], visible: Item[]) => new Map([["Options:", visible]]),
  });
  const isShort = (command: Command): command is CliCommand =>
    command instanceof CliCommand &&
    command.commands.length === 0 &&
    !argv.includes("--all") &&
    whole.formatHelp(command, whole).split("\n").length > SCREEN;
  return {
    helpWidth: WIDTH,
    visibleOptions: (command) => {
      const all = whole.visibleOptions(command);
      if (!isShort(command)) return all;
      return all.filter((option) => command.isCommon(option) || option.long === "--help");
    },
    formatHelp: (command, helper) => {
      if (!isShort(command)) return whole.formatHelp(command, helper);
      const call = helper.commandUsage(command).split(" [")[0];
      return `${flat.formatHelp(command, helper)}\nAll ${command.options.filter((option) => !option.hidden).length} flags: ${call} --help --all\n`;
    },
  };
}
