import { printable } from "./printable.ts";

export function shellWord(text: string): string {
  return /^[\w./:@,-]+$/.test(text) ? text : printable(`'${text.replaceAll("'", "'\\''")}'`, 2000);
}
