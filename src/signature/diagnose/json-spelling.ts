/** How a library writes a JSON string, given its plain form with its quotes, or a number. */
export interface Spelling {
  readonly name: string;
  readonly spell: (plain: string) => string;
}

/** How libraries write strings. The plain form escapes only what JSON requires. */
export const ESCAPES = {
  none: { name: "no more escapes than needed", spell: (plain) => plain },
  ascii: { name: "non-ASCII as \\u escapes", spell: (plain) => plain.replace(/[^ -~]/g, unicode) },
  slash: { name: "/ as \\/", spell: escapeSlash },
  asciiAndSlash: {
    name: "non-ASCII as \\u escapes, / as \\/",
    spell: (plain) => escapeSlash(plain).replace(/[^\0-\x7f]/g, unicode),
  },
  html: {
    name: "<, > and & as \\u escapes",
    spell: (plain) => plain.replace(/[<>&\u2028\u2029]/g, unicode),
  },
  gson: {
    name: "<, >, &, = and ' as \\u escapes",
    spell: (plain) => plain.replace(/[<>&='\u2028\u2029]/g, unicode),
  },
  net: { name: "non-ASCII, quotes, <, > and & as upper-case \\u escapes", spell: escapeUpperCase },
} as const satisfies Readonly<Record<string, Spelling>>;

/** Less common: tried only as a library prints the rest, too. */
export const RARE_ESCAPES = {
  symfony: {
    name: "quotes, <, > and & as upper-case \\u escapes, non-ASCII as \\u escapes, / as \\/",
    spell: (plain) => {
      const marked = inside(plain, /\\"|[<>&']/g, (found) => upperUnicode(found.slice(-1)));
      return escapeSlash(marked).replace(/[^\0-\x7f]/g, unicode);
    },
  },
  jsonSimple: {
    name: "symbols as upper-case \\u escapes, / as \\/",
    spell: (plain) => escapeSlash(plain).replace(/[\x7f-\x9f\u2000-\u20ff]/g, upperUnicode),
  },
  orgJson: {
    name: "as org.json writes them",
    spell: (plain) =>
      plain.replaceAll("</", "<\\/").replace(/[\u0080-\u009f\u2000-\u20ff]/g, unicode),
  },
  jsonNetDates: {
    name: "dates without zeros at the end of their fraction",
    spell: (plain) =>
      plain.replace(/^("[\d-]+T[\d:]+)\.(\d*)Z"$/, (_, before: string, fraction: string) => {
        const digits = withoutZerosAtEnd(fraction);
        return `${before}${digits === "" ? "" : `.${digits}`}Z"`;
      }),
  },
} as const satisfies Readonly<Record<string, Spelling>>;

/** Strings in their plain form; other tokens unchanged. */
export function plainTokens(tokens: readonly string[]): readonly string[] {
  return tokens.map((token) => {
    return token.startsWith('"') && token.includes("\\")
      ? JSON.stringify(JSON.parse(token))
      : token;
  });
}

export function spellStrings(plain: readonly string[], { spell }: Pick<Spelling, "spell">) {
  return plain.map((token) => (token.startsWith('"') ? spell(token) : token));
}

export function spellNumbers(tokens: readonly string[], { spell }: Pick<Spelling, "spell">) {
  return tokens.map((token) => (/^[-\d]/.test(token) ? spell(token) : token));
}

function escapeSlash(plain: string): string {
  return plain.replaceAll("/", "\\/");
}

function escapeUpperCase(plain: string): string {
  return inside(plain, /\\u[0-9a-f]{4}|\\"|[^ -~]|[<>&'+`]/g, (found) => {
    return found.startsWith("\\u")
      ? `\\u${found.slice(2).toUpperCase()}`
      : upperUnicode(found.slice(-1));
  });
}

/**
 * Rewrites what is between the quotes; a pair of backslashes is kept whole, so that no part of it
 * is read as an escape.
 */
function inside(plain: string, found: RegExp, write: (found: string) => string): string {
  const pairs = new RegExp(`\\\\\\\\|${found.source}`, "g");
  return `"${plain.slice(1, -1).replace(pairs, (text) => (text === "\\\\" ? text : write(text)))}"`;
}

/** A loop, since an expression for the zeros at the end takes quadratic time. */
function withoutZerosAtEnd(digits: string): string {
  let length = digits.length;
  while (digits[length - 1] === "0") length--;
  return digits.slice(0, length);
}

function upperUnicode(character: string): string {
  return `\\u${unicode(character).slice(2).toUpperCase()}`;
}

function unicode(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
