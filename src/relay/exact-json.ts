import { randomUUID } from "node:crypto";

/** Stands before the text of a number while it is held as a string; drawn anew for each process, so no text has it. */
const MARK = `${randomUUID()}:`;

const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
const MARKED = new RegExp(`"${MARK}([^"]*)"`, "g");

/**
 * Reads JSON so that {@link printExact} prints each number as it was written: `JSON.parse` rounds big integers and drops
 * `1.50`'s nought. A number in the result is a text that only `printExact` can read.
 *
 * @throws SyntaxError for text that is not JSON
 */
export function parseExact(text: string): unknown {
  JSON.parse(text); // the marks below would hide a number that is spelt wrongly
  return JSON.parse(
    text.replace(STRING_OR_NUMBER, (token) => (token.startsWith('"') ? token : JSON.stringify(MARK + token))),
  );
}

/** Prints a value that holds what {@link parseExact} read. */
export function printExact(value: unknown): string {
  return JSON.stringify(value).replace(MARKED, "$1");
}
