import { trimEndOf } from "../base/text/trim-end.ts";
import type { CliContext } from "./context.ts";
import type { Io } from "./io.ts";
import { shownValue } from "./shown-value.ts";

/**
 * Hides values in a message that may be secrets: pasted as a value, as a variable's name, or into a
 * URL. Every message passes here last, so a secret is caught whichever code put it into the
 * message.
 */
export function hideGiven(
  message: string,
  { argv, configured }: Pick<CliContext, "argv" | "configured">,
  { env, cwd }: Io,
): string {
  const variables = Object.entries(env).filter(([name]) => /^(?:HOOKPORTER|NGROK)_/.test(name));
  const given = [
    ...argv.flatMap(valuesOf),
    ...configured,
    ...variables.flatMap(([, value]) => value ?? []),
  ].flatMap(partsOf);
  const shown = new Map(given.map((text) => [text, shownValue(text, cwd)]));
  // The longest first, since it may contain another one.
  const changed = [...shown]
    .filter(([text, as]) => text !== as)
    .sort(([a], [b]) => b.length - a.length);
  return changed.reduce((text, [hidden, as]) => replaceAll(text, hidden, as), message);
}

/**
 * The values in an argument: that of `--flag=value`, or the whole argument; nothing if it is only a
 * flag's name.
 */
function valuesOf(argument: string): readonly string[] {
  const [, name, value] = /^--?([^=]*)(?:=(.*))?$/s.exec(argument) ?? [];
  if (name === undefined) return [argument];
  // A flag is words joined by "-"; anything else after the dashes may have been pasted there.
  return [
    ...(/^[a-z]+(?:-[a-z]+)*$/.test(name) ? [] : [name]),
    ...(value === undefined ? [] : [value]),
  ];
}

/** The most characters of a text whose parts are looked for, so that there are not too many. */
const LONGEST = 4096;

/** The whole text, and the parts of a list, an assignment, an `@file` or a URL. */
function partsOf(text: string): readonly string[] {
  if (text.length > LONGEST) return [text];
  const url =
    /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:([^/?#@]*)@)?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/is.exec(text) ??
    [];
  const [, user = "", query = "", fragment = ""] = url;
  return [
    text,
    ...text.split(","),
    text.slice(text.indexOf("=") + 1),
    trimEndOf(text.replace(/^@/, ""), "/"),
    ...user.split(":"),
    ...query.split("&").map((part) => part.slice(part.indexOf("=") + 1)),
    fragment,
  ].map((part) => part.trim());
}

/** Ignores case, since headers and domains are shown in lower case. */
function replaceAll(text: string, part: string, by: string): string {
  // Not by an expression: one of some 100 kB is too large.
  const others = lowerCase(text).split(lowerCase(part));
  let end = 0;
  const kept = others.map(({ length }) => {
    const start = end;
    end = start + length + part.length;
    return text.slice(start, start + length);
  });
  return kept.join(by);
}

/** Of the same length: some letters beyond ASCII become two in lower case. */
function lowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
