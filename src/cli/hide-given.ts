import type { Io } from "./io.ts";
import { hidden, shownValue } from "./shown-value.ts";

/** What was given beside variables. */
export interface Given {
  readonly argv: readonly string[];
  /** Values of the configuration file. */
  readonly configured: readonly string[];
}

/**
 * A message without the values that may be secrets: pasted as a value, as the name of a variable, or into a URL. The
 * last place where each can be caught, however it came into the message.
 */
export function hideGiven(message: string, { argv, configured }: Given, { env, cwd }: Io): string {
  const variables = Object.entries(env).filter(([name]) => /^(?:HOOKPORTER|NGROK)_/.test(name));
  const given = [
    ...argv.flatMap(valuesOf),
    ...configured,
    ...variables.flatMap(([, value]) => value ?? []),
  ].flatMap(partsOf);
  const shown = new Map(given.map((text) => [text, shownValue(text, cwd)]));
  // The longest first: it may hold another one.
  const changed = [...shown].filter(([text, as]) => text !== as).sort(([a], [b]) => b.length - a.length);
  return changed.reduce((text, [one, as]) => replaceAll(text, one, as), withoutNames(message));
}

/** An argument's value: that of `--flag=value`; the whole, but for the names of flags. */
function valuesOf(argument: string): readonly string[] {
  const [, name, value] = /^--?([^=]*)(?:=(.*))?$/s.exec(argument) ?? [];
  if (name === undefined) return [argument];
  // A flag is words with "-" between; anything else behind dashes may have been pasted there.
  return [...(/^[a-z]+(?:-[a-z]+)*$/.test(name) ? [] : [name]), ...(value === undefined ? [] : [value])];
}

/** The whole, and what a list, an assignment, a mention of a file or a URL is made of. */
function partsOf(text: string): readonly string[] {
  const url =
    /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:([^/?#@]*)@)?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/is.exec(text) ?? [];
  const [, user = "", query = "", fragment = ""] = url;
  return [
    text,
    ...text.split(","),
    text.slice(text.indexOf("=") + 1),
    text.replace(/^@|\/+$/g, ""),
    ...user.split(":"),
    ...query.split("&").map((part) => part.slice(part.indexOf("=") + 1)),
    fragment,
  ].map((part) => part.trim());
}

/** commander repeats any value it could not read; what a flag for a variable's name was given may be the secret itself. */
function withoutNames(message: string): string {
  return message.replace(
    /^((?:error: )?option '--[a-z-]*env <\w+>') argument '(.*)' is invalid\./s,
    (_, option: string, value: string) => `${option} argument '${hidden(value)}' is invalid.`,
  );
}

/** In any case: headers and domains are shown in lower case. */
function replaceAll(text: string, part: string, by: string): string {
  return text.replaceAll(new RegExp(part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "gi"), () => by);
}
