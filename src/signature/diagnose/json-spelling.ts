/** How a library writes a JSON string, given its plain form, quotes included. */
export interface Spelling {
  readonly name: string;
  readonly spell: (plain: string) => string;
}

/** How libraries write strings. The plain form escapes only what JSON requires. */
export const ESCAPES = [
  { name: "no more escapes than needed", spell: (plain) => plain },
  { name: "non-ASCII as \\u escapes", spell: (plain) => plain.replace(/[^ -~]/g, unicode) },
  { name: "/ as \\/", spell: escapeSlash },
  {
    name: "non-ASCII as \\u escapes, / as \\/",
    spell: (plain) => escapeSlash(plain).replace(/[^\0-\x7f]/g, unicode),
  },
  { name: "<, > and & as \\u escapes", spell: (plain) => plain.replace(/[<>&\u2028\u2029]/g, unicode) },
  {
    name: "<, >, &, = and ' as \\u escapes",
    spell: (plain) => plain.replace(/[<>&='\u2028\u2029]/g, unicode),
  },
  {
    name: "non-ASCII as upper-case \\u escapes",
    spell: (plain) => plain.replace(/[^ -~]/g, (found) => unicode(found).toUpperCase().replace("U", "u")),
  },
  {
    name: "non-ASCII, quotes, <, > and & as upper-case \\u escapes",
    spell: escapeUpperCase,
  },
] as const satisfies readonly Spelling[];

/** The name of one of these ways. */
export type EscapesName = (typeof ESCAPES)[number]["name"];

/** How libraries print a number that they have parsed. */
export const NUMBERS: readonly Spelling[] = [
  { name: "as JavaScript prints them", spell: (number) => JSON.stringify(Number(number)) },
  {
    name: "as Python prints them",
    spell: (number) => {
      if (!/[.eE]/.test(number)) return number;
      const text = JSON.stringify(Number(number));
      return /^-?\d+$/.test(text) ? `${text}.0` : text;
    },
  },
];

/** Strings in their plain form; other tokens unchanged. */
export function plainTokens(tokens: readonly string[]): readonly string[] {
  return tokens.map((token) => {
    return token.startsWith('"') && token.includes("\\") ? JSON.stringify(JSON.parse(token)) : token;
  });
}

/** Rewrites every string. */
export function spellStrings(plain: readonly string[], { spell }: Spelling): readonly string[] {
  return plain.map((token) => (token.startsWith('"') ? spell(token) : token));
}

/** Rewrites every number. */
export function spellNumbers(tokens: readonly string[], { spell }: Spelling): readonly string[] {
  return tokens.map((token) => (/^[-\d]/.test(token) ? spell(token) : token));
}

function escapeSlash(plain: string): string {
  return plain.replaceAll("/", "\\/");
}

/** The quotes around the text are kept. */
function escapeUpperCase(plain: string): string {
  // Match escapes and pairs of backslashes whole, so that no part of one is read as a character.
  const inside = plain.slice(1, -1).replace(/\\u[0-9a-f]{4}|\\\\|\\"|[^ -~]|[<>&'+`]/g, (found) => {
    if (found === "\\\\") return found;
    const code = found.startsWith("\\u") ? found.slice(2) : unicode(found.slice(-1)).slice(2);
    return `\\u${code.toUpperCase()}`;
  });
  return `"${inside}"`;
}

function unicode(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
