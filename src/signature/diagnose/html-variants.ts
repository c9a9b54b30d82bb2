import { type BodyVariant, variant } from "./body-variant.ts";
import { cause } from "./causes.ts";

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};
const ENTITY = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,3})|#x([0-9a-f]{1,2}));/gi;

/** How libraries write quotes: the double one, and the single one. */
const QUOTES = [
  ["&quot;", "&#39;"],
  ["&quot;", "&#039;"],
  ["&quot;", "&#x27;"],
  ["&quot;", "'"],
  ["&#34;", "&#39;"],
] as const;

/**
 * The body with HTML entities in place of its special characters, as templates and filters of form
 * input write it.
 */
export function htmlVariants(text: string): readonly BodyVariant[] {
  const there = [cause("body_html", "with entities on the signing side")];
  const quotes = text.includes("'") ? QUOTES : [QUOTES[0], QUOTES[4]];
  const signed = quotes.map(([double, single]) =>
    variant(there, () => escapeHtml(text, double, single)),
  );
  if (text.search(ENTITY) === -1) return signed;
  const here = [cause("body_html", "with entities on this side")];
  return [...signed, variant(here, () => withoutEntities(text))];
}

/** The text with characters in place of their entities. */
export function withoutEntities(text: string): string {
  return text.replace(ENTITY, characterOf);
}

function escapeHtml(text: string, double: string, single: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', double)
    .replaceAll("'", single);
}

function characterOf(entity: string, name?: string, decimal?: string, hex?: string): string {
  if (name !== undefined) return NAMED[name.toLowerCase()] ?? entity;
  const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
  return code < 0x80 ? String.fromCharCode(code) : entity;
}
