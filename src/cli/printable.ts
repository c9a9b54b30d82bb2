import { escapeInvisible } from "../text/escape-invisible.ts";

/** Makes a text safe to print and limits its length: see {@link escapeInvisible}. */
export function printable(text: string, maxLength = 200): string {
  return escapeInvisible(text.length > maxLength ? `${text.slice(0, maxLength)}…` : text);
}

export function shellWord(text: string): string {
  return /^[\w./:@,-]+$/.test(text) ? text : printable(`'${text.replaceAll("'", "'\\''")}'`, 2000);
}
