import { Command, Help, type Option } from "commander";
import { DEFAULT_ENDPOINT } from "../http/default-endpoint.ts";
import { UNLESS_RUNNING } from "./settings/default-values.ts";
import { readEndpoint, readHeaderName } from "./settings/values.ts";

/** The width of a terminal at first. */
const WIDTH = 80;

/** The most lines of help, without its examples, that are shown as they are. */
const SCREEN = 34;

/** A command, some of whose flags are common. If its help is longer than a screen, it shows those alone. */
export class CliCommand extends Command {
  readonly #common = new Set<Option>();

  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  /** As `option`, for a flag that most people need. */
  common<Value>(flags: string, description: string, reader?: (text: string, before: Value) => Value): this {
    if (reader === undefined) this.option(flags, description);
    else this.option(flags, description, reader);
    for (const option of this.options.slice(-1)) this.#common.add(option);
    return this;
  }

  /** The flag of all commands that sign or verify. */
  signatureHeader(): this {
    const description = "name of the signature header (default: x-service-signature)";
    return this.option("--signature-header <name>", description, readHeaderName);
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

/** How help is printed: shortened to the common flags, without groups, if it is long and `--all` was not typed too. */
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
      return `${flat.formatHelp(command, helper)}\nAll ${command.options.length} flags: ${call} --help --all\n`;
    },
  };
}
