import { printable } from "../printable.ts";

/** Quotes a text as one word for a shell. */
export function shellWord(text: string): string {
  return /^[\w./:@,-]+$/.test(text) ? text : printable(`'${text.replaceAll("'", "'\\''")}'`, 2000);
}
