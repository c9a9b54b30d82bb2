import type { Command } from "commander";
import { describeError } from "../../base/errors.ts";
import { didYouMean } from "../../base/options/did-you-mean.ts";
import { ownCommand } from "../../base/package/own-command.ts";
import { type CliContext, createContext } from "../context.ts";
import { hideGiven } from "../hide-given.ts";
import { nameInbox } from "../inbox/named-inbox.ts";
import { usageError } from "../input-errors.ts";
import { printable } from "../output.ts";
import { findSecrets } from "../secrets/secret.ts";
import type { SecretOptions } from "../secrets/secret-options.ts";
import { commandName, flagName, leaves } from "./command-tree.ts";
import { applySettings, openSettings, programOf } from "./config.ts";

/**
 * Prints the settings of a command, of another one if it is named, and where each of them is from:
 * the inbox and the secret always, if the command has them, and the others that are set. Throws
 * `usage` for a name that no command has.
 */
export async function explain(
  asked: Command,
  name: string | true,
  context: CliContext,
): Promise<void> {
  if (name === true) return printSettings(asked, context);
  const commands = leaves(programOf(asked));
  const command = commands.find((command) => commandName(command) === name);
  if (command === undefined) {
    const meant = didYouMean(name, commands.map(commandName));
    const fix = meant === undefined ? `see \`${ownCommand("--help")}\`` : `did you mean ${meant}?`;
    throw usageError(`expected --explain to name a command, got ${JSON.stringify(name)}: ${fix}`);
  }
  const own = { ...createContext(context.io, context.argv), output: context.output };
  await applySettings(command, own);
  await printSettings(command, own);
}

async function printSettings(command: Command, context: CliContext): Promise<void> {
  const { output, origins } = context;
  const names = new Set(command.options.map((option) => option.attributeName()));
  names.delete("explain");
  const given = command.opts<{ inbox?: string }>();
  const lines: { name: string; value: string | null; from: string }[] = [];
  for (const name of names) {
    const isInbox = name === "inbox" && command.name() !== "init";
    if (!isInbox && command.getOptionValueSource(name) === undefined) continue;
    const from =
      origins.get(name) ?? (name in given ? `${flagName(name)} on the command line` : "default");
    lines.push({ name, value: isInbox ? nameInbox(context, given.inbox).shown : null, from });
  }
  if (names.has("secretEnv"))
    lines.push({ name: "secret", value: null, from: await secretFrom(command, context) });
  const settings = await openSettings(command, context.io, false);
  for (const option of command.options) {
    const { refused } = settings.look(command, option);
    if (refused === undefined) continue;
    const from = `${refused.where}, ignored: see ${ownCommand("trust")}`;
    lines.push({ name: option.attributeName(), value: null, from });
  }
  const width = Math.max(0, ...lines.map(({ name }) => name.length));
  for (const { name, value, from } of lines) {
    const shown = value === null ? null : hideGiven(value, context, { ...context.io, env: {} });
    output.data(
      printable(`${name.padEnd(width)}  ${shown === null ? "" : `${shown}  `}from ${from}`),
    );
    output.record("setting", { name, value: shown, from });
  }
}

/** Where the secret is from, or why there is none. Its text is never shown. */
async function secretFrom(command: Command, context: CliContext): Promise<string> {
  const options = command.opts<SecretOptions>();
  if (options.secretStdin === true) return "standard input"; // not read here
  try {
    return (await findSecrets(context, options)).from;
  } catch (thrown) {
    return `nowhere: ${describeError(thrown)}`;
  }
}
