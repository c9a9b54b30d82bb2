/** Reads a column's value from PostgreSQL's text. */
export type Parser = (text: string) => unknown;

const asText: Parser = (text) => text;

/**
 * How the columns of the inbox's statements are read, by the numbers of their types: named in every
 * statement, since an app may set other parsers for all of a client's.
 */
export const PARSERS: Readonly<Record<number, Parser>> = {
  16: (text) => text === "t", // bool
  17: bytesOf,
  19: asText, // name
  20: asText, // int8
  23: Number, // int4
  25: asText,
  114: (text) => JSON.parse(text), // json
  700: Number, // float4
  701: Number, // float8
  1700: asText, // numeric
  2278: asText, // void
};

/** The same for `pg`. */
export const TYPES = { getTypeParser: (type: number): Parser => PARSERS[type] ?? asText };

const ESCAPED = /\\(?:\\|([0-7]{3}))/g;

/** Either form of `bytea_output`. */
function bytesOf(text: string): Buffer {
  if (text.startsWith("\\x")) return Buffer.from(text.slice(2), "hex");
  const characters = text.replaceAll(ESCAPED, (_, octal?: string) =>
    octal === undefined ? "\\" : String.fromCharCode(Number.parseInt(octal, 8)),
  );
  return Buffer.from(characters, "latin1");
}
