import { tryOr } from "../../base/try-or.ts";
import type { NamedSecret } from "../../signature/diagnose/keyings.ts";
import { readSecrets } from "../../signature/secrets.ts";
import type { Variables } from "../project/env-text.ts";

/** The most lines that one secret may be wrapped into. */
const MOST_LINES = 6;
const MOST_WRITTEN = 24;

type Written = readonly [text: string, name: string, why?: NamedSecret["why"]];

/**
 * What stands in an env file for a variable, other than what was read from it: all of its line
 * where a reader stopped at `#`, lines that follow, earlier values, and what its references mean.
 * Candidates for a diagnosis, which proves one of them or none.
 *
 * @param used - the texts of the secrets in use
 */
export function writtenSecrets(
  file: string,
  names: readonly string[],
  used: readonly string[],
  variables: Variables,
): readonly NamedSecret[] {
  const found = names.flatMap((name) => writtenFor(file.split(/\r?\n/), name));
  const expanded = used.map(
    (text): Written => [
      text.replace(
        /\$(?:\{(\w+)\}|(\w+))/g,
        (whole, braced?: string, bare = "") => variables[braced ?? bare] ?? whole,
      ),
      "a reference to another variable, which nothing replaced on this side",
      "secret_encoded",
    ],
  );
  const seen = new Set(used.map((text) => text.trimEnd()));
  return [...found, ...expanded].slice(0, MOST_WRITTEN).flatMap(([text, name, why]) => {
    if (text.trim() === "" || seen.has(text)) return [];
    seen.add(text);
    const [secret] = tryOr(() => readSecrets(text), []);
    return secret === undefined ? [] : [{ name, secret, why }];
  });
}

function writtenFor(lines: readonly string[], name: string): readonly Written[] {
  const at = lines.flatMap((line, index) => (valueIn(line, name) === undefined ? [] : index));
  return at.flatMap((index, count): readonly Written[] => {
    const line = valueIn(lines[index] ?? "", name) ?? "";
    const isLast = count === at.length - 1;
    const more = lines.slice(index + 1, index + MOST_LINES);
    const end = more.findIndex((other) => other.trim() === "" || isAssignment(other));
    const following = end === -1 ? more : more.slice(0, end);
    const whole = `on this side: more is written behind ${name} in the env file`;
    const wrapped = `on this side: it goes on in the next line of the env file, after ${name}`;
    const readings = withoutQuotes(line).map((text): Written => {
      return isLast ? [text, whole, "secret_cut"] : [text, `an earlier ${name} in the env file`];
    });
    const joined = following.flatMap((_, last) => {
      const parts = [line, ...following.slice(0, last + 1)];
      const texts = [
        parts.map((part) => part.trim().replace(/\\$/, "")).join(""),
        parts.join("\n"),
      ];
      return texts.flatMap(withoutQuotes).map((text): Written => [text, wrapped, "secret_cut"]);
    });
    return [...readings, ...joined];
  });
}

/** Each value that an env file has for a variable, unread. */
export function valuesIn(file: string, name: string): readonly string[] {
  return file.split(/\r?\n/).flatMap((line) => valueIn(line, name) ?? []);
}

const QUOTES = "\"'`“”‘’";

/** The value that a line of an env file or of YAML sets; `undefined` if it sets another one. */
function valueIn(line: string, name: string): string | undefined {
  const at = line.search(/[:=]/);
  const named = line
    .slice(0, Math.max(0, at))
    .trim()
    .replace(/^export /i, "")
    .trim();
  return named.toLowerCase() === name.toLowerCase() ? line.slice(at + 1).trim() : undefined;
}

function isAssignment(line: string): boolean {
  const at = line.indexOf("=");
  return at > 0 && /^\s*[a-z_][\w.]*\s?$/i.test(line.slice(0, at));
}

/** A line as it stands, without its quotes, and without a comment after it. */
function withoutQuotes(line: string): readonly string[] {
  const text = line.trim();
  const comment = text.search(/\s#/);
  const bare = comment === -1 ? text : text.slice(0, comment).trim();
  return [text, bare, unquoted(text), unquoted(bare)];
}

/** Without a quote at either end. */
function unquoted(text: string): string {
  const start = QUOTES.includes(text.charAt(0)) ? 1 : 0;
  const end = QUOTES.includes(text.charAt(text.length - 1)) ? text.length - 1 : text.length;
  return text.slice(start, end);
}
