import { randomUUID } from "node:crypto";

/**
 * Marks a number that is held as a string. Random for each process, so that no input contains it.
 */
const MARK = `${randomUUID()}:`;

/** A string without its end would be one, too, so that none is looked for twice. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.?)*"?|-?\d[\d.eE+-]*/gs;
const MARKED = new RegExp(`"${MARK}([^"]*)"`, "g");

/**
 * Parses JSON so that {@link printExact} prints each number as it was written: `JSON.parse` rounds
 * large integers and drops the zero of `1.50`. A number in the result is a string that only
 * `printExact` can read.
 *
 * @throws SyntaxError for text that is not JSON
 */
export function parseExact(text: string): unknown {
  JSON.parse(text); // the marks below would hide an invalid number
  return JSON.parse(
    text.replace(STRING_OR_NUMBER, (token) =>
      token.startsWith('"') ? token : JSON.stringify(MARK + token),
    ),
  );
}

export function printExact(value: unknown): string {
  return JSON.stringify(value).replace(MARKED, "$1");
}

/**
 * A number in a result of {@link parseExact}, as it was written; `undefined` for any other value.
 */
export function exactText(value: unknown): string | undefined {
  return typeof value === "string" && value.startsWith(MARK) ? value.slice(MARK.length) : undefined;
}
