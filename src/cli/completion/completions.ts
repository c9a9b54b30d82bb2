import type { Argument, Command, Option } from "commander";
import { eventKinds } from "../../event/kinds.ts";
import { takenBy } from "../settings/values.ts";

export interface Word {
  readonly word: string;
  readonly about: string;
}

interface Completion {
  readonly words: readonly Word[];
  /** Whether names of files may be meant, too. */
  readonly files: boolean;
}

/** Names of values, in flags and arguments, that are files or folders. */
const FILE_VALUES = /<(?:file|dir|path|inbox)>/;
const FILE_ARGUMENTS = /^(?:file|dir|from|to|what|events)$/;

const NOTHING: Completion = { words: [], files: false };

/**
 * What the last of the words may become. All it knows comes from the commands themselves.
 *
 * @param typed - the words after the program's name; the last one may be empty
 */
export function completionsOf(program: Command, typed: readonly string[]): Completion {
  const words = withoutEquals(typed);
  const current = words.at(-1) ?? "";
  const { command, values, waiting, options } = walk(program, words.slice(0, -1));
  if (waiting !== undefined) return ofOption(waiting, current, "");
  const [, flag, rest] = /^(--[a-z-]+)=(.*)$/s.exec(current) ?? [];
  if (flag !== undefined && rest !== undefined) {
    const option = command.options.find(({ long }) => long === flag);
    return option === undefined ? NOTHING : ofOption(option, rest, `${flag}=`);
  }
  if (current.startsWith("-")) return matching(flagsOf(command, options), current);
  if (command.commands.length > 0)
    return values > 0 ? NOTHING : matching(subcommandsOf(command), current);
  const { registeredArguments: all } = command;
  const last = all.at(-1);
  const argument = all[values] ?? (last?.variadic === true ? last : undefined);
  if (argument === undefined) return NOTHING;
  return ofArgument(argument, current);
}

/** bash takes `=` as a word of its own: `--state`, `=`, `de`. */
function withoutEquals(typed: readonly string[]): readonly string[] {
  const words = typed.filter(
    (word, index) => word !== "=" || !(typed[index - 1] ?? "").startsWith("--"),
  );
  return typed.at(-1) === "=" && words.length < typed.length ? [...words, ""] : words;
}

/**
 * What the words so far are: a command, how many arguments, which flags, and the flag whose value
 * comes next.
 */
function walk(program: Command, words: readonly string[]) {
  let command = program;
  let values = 0;
  let waiting: Option | undefined;
  const options = new Set<Option>();
  for (const word of words) {
    if (waiting !== undefined) waiting = undefined;
    else if (word.startsWith("-") && word !== "-") {
      const option = command.options.find(({ long, short }) =>
        [long, short].includes(word.split("=", 1)[0]),
      );
      if (option !== undefined) options.add(option);
      if (option?.required === true && !word.includes("=")) waiting = option;
    } else {
      const child = command.commands.find((command) => command.name() === word);
      if (child === undefined) values++;
      else command = child;
    }
  }
  return { command, values, waiting, options };
}

function ofOption(option: Option, current: string, prefix: string): Completion {
  const words = takenBy(option.parseArg).words;
  if (words === undefined) return { words: [], files: FILE_VALUES.test(option.flags) };
  // A list: what is before the last comma stays.
  const before = current.slice(0, current.lastIndexOf(",") + 1);
  const found = words.map((word) => ({
    word: `${prefix}${before}${word}`,
    about: option.attributeName(),
  }));
  return matching(found, prefix + current);
}

function ofArgument(argument: Argument, current: string): Completion {
  const name = argument.name();
  const choices = argument.argChoices ?? (name === "kind" ? eventKinds : []);
  const words = choices.map((word) => ({ word, about: name }));
  return { ...matching(words, current), files: FILE_ARGUMENTS.test(name) };
}

function flagsOf(command: Command, given: ReadonlySet<Option>): readonly Word[] {
  // A flag with a value may be a list, and repeated.
  const options = command.options.filter(
    (option) => !option.hidden && (option.required || !given.has(option)),
  );
  const own = options.map(({ long, description }) => ({ word: long ?? "", about: description }));
  return [...own, { word: "--help", about: "display help for command" }];
}

function subcommandsOf(command: Command): readonly Word[] {
  return command.commands.map((command) => ({
    word: command.name(),
    about: command.description(),
  }));
}

function matching(words: readonly Word[], current: string): Completion {
  return { words: words.filter(({ word }) => word.startsWith(current)), files: false };
}
