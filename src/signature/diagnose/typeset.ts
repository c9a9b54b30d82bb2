/**
 * Characters that nobody sees, which web pages and chat programs leave in what is copied, and bytes
 * that end a text in other languages.
 */
export const INVISIBLE =
  /[\0\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|[\ufe0e\ufe0f]/g;

/** What programs for writing put in place of plain characters, and the plain ones. */
const TYPESET: readonly (readonly [typeset: RegExp, plain: string])[] = [
  [/[“”„‟«»]/g, '"'],
  [/[‘’‚‛]/g, "'"],
  [/[‐‑‒–—−]/g, "-"],
  [/\u2026/g, "..."],
  [/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, " "],
];

/** The text as it was before a program for writing improved it. */
export function plainText(text: string): string {
  return TYPESET.reduce(
    (made, [typeset, plain]) => made.replace(typeset, plain),
    text.replace(INVISIBLE, ""),
  );
}

/** What programs for writing make of a text: all that they may do at once, and parts of it. */
export function typesetTexts(text: string): readonly string[] {
  const curly = text
    .replace(/(^|[\s([{:,=])"/g, "$1“")
    .replaceAll('"', "”")
    .replace(/(^|[\s([{:,=])'/g, "$1‘")
    .replaceAll("'", "’");
  const made = [
    curly,
    text.replaceAll("--", "—"),
    text.replaceAll("--", "–"),
    text.replaceAll("-", "–"),
    text.replaceAll("-", "‑"),
    text.replaceAll("-", "—"),
    text.replaceAll("...", "…"),
    text.replaceAll(" ", "\u00a0"),
  ];
  return [...new Set(made)].filter((one) => one !== text);
}
