import { stripVTControlCharacters } from "node:util";

/** Text broken between words into lines of at most `width` columns; the first may have less room than the others. */
export function wrapText(text: string, width: number, firstWidth = width): readonly string[] {
  const [first = "", ...words] = text.split(" ");
  const lines = [first];
  for (const word of words) {
    const line = lines.at(-1) ?? "";
    const room = lines.length === 1 ? firstWidth : width;
    if (columnsOf(line) + 1 + columnsOf(word) > room) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}

/** Columns a text takes on a terminal; colours take none. */
export function columnsOf(text: string): number {
  return [...stripVTControlCharacters(text)].length;
}
