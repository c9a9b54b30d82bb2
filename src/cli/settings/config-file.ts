import type { Command } from "commander";
import { isRecord } from "../../base/guards.ts";
import { didYouMean } from "../../base/options/did-you-mean.ts";
import { invalidConfig } from "../input-errors.ts";
import { PROJECT_KEYS } from "../project/read-project.ts";
import { hidden } from "../shown-value.ts";
import { commandName, flagName, hasOwnMeaning, isTypedOnly } from "./command-tree.ts";

/**
 * Checks what the configuration file says. `{ "inbox": … }` applies to every command that has the
 * flag, `{ "listen": { "timeout": … } }` to one command, and takes precedence; `{ "project": … }`
 * describes the project's own server. Throws `config_invalid`.
 */
export function checkConfig(
  content: Readonly<Record<string, unknown>>,
  file: string,
  commands: readonly Command[],
): void {
  const names = new Map(commands.map((command) => [commandName(command), command]));
  for (const [key, value] of Object.entries(content)) {
    const command = names.get(key);
    if (key === "project") checkKeys(key, value, PROJECT_KEYS, file);
    else if (command === undefined) checkShared(key, value, commands, file);
    else checkKeys(key, value, flagsOf(command), file);
  }
}

function checkShared(
  key: string,
  value: unknown,
  commands: readonly Command[],
  file: string,
): void {
  const shown = shownKey(key);
  const names = commands.map((command) => JSON.stringify(commandName(command))).join(", ");
  const having = commands.filter((command) => flagsOf(command).includes(key));
  const [first] = having.map(commandName);
  if (first === undefined) {
    refuseTypedOnly(key, file);
    const secret = /secret/i.test(key) ? "; do not put secrets here, set HOOKPORTER_SECRET" : "";
    const credential = /api_?key|token/i.test(key)
      ? "; do not put keys here, set HOOKPORTER_API_KEY"
      : "";
    throw invalidConfig(
      file,
      `has an unknown key ${shown}: ${suggestion(key, [...commands.flatMap(flagsOf), ...commands.map(commandName)])}expected a flag in camel case, such as forwardTo, or one of ${names}${secret}${credential}`,
    );
  }
  if (isRecord(value))
    throw invalidConfig(
      file,
      `has an object under ${shown}, which is a flag: expected a value, or an object under one of ${names}`,
    );
  if (!hasOwnMeaning(key)) return;
  const example = JSON.stringify({ [first]: { [key]: "…" } });
  throw invalidConfig(
    file,
    `sets ${shown} for all commands, but it means something different in each: set it for one, such as ${example}`,
  );
}

function checkKeys(name: string, section: unknown, keys: readonly string[], file: string): void {
  const shown = JSON.stringify(name);
  if (!isRecord(section))
    throw invalidConfig(
      file,
      `has a wrong value under ${shown}: expected an object of its settings`,
    );
  const wrong = Object.keys(section).find((key) => !keys.includes(key));
  if (wrong === undefined) return;
  refuseTypedOnly(wrong, file);
  throw invalidConfig(
    file,
    `has an unknown key ${shownKey(wrong)} under ${shown}: ${suggestion(wrong, keys)}expected one of ${[...new Set(keys)].join(", ")}`,
  );
}

/** Refuses the key of a flag that counts on the command line alone. */
function refuseTypedOnly(key: string, file: string): void {
  if (!isTypedOnly(key)) return;
  throw invalidConfig(
    file,
    `has a key ${shownKey(key)}, which counts on the command line alone: remove it, and pass ${flagName(key)}`,
  );
}

/**
 * A valid key has only letters, and at most 30; a secret pasted as a key is longer, or has digits.
 */
function shownKey(key: string): string {
  return /^(?!(?:whsec|sk|pk)_)[A-Za-z _-]{1,30}$/.test(key) ? JSON.stringify(key) : hidden(key);
}

/** The known name that was probably meant. */
function suggestion(key: string, known: readonly string[]): string {
  const meant = didYouMean(key, known);
  return meant === undefined ? "" : `did you mean ${JSON.stringify(meant)}? `;
}

function flagsOf(command: Command): readonly string[] {
  return command.options
    .map((option) => option.attributeName())
    .filter((flag) => !isTypedOnly(flag));
}
