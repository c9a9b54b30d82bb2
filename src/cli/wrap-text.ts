import { stripVTControlCharacters } from "node:util";

/** Breaks a text between words into lines of at most `width` columns; the first line may be shorter. */
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

/** The number of columns that a text takes on a terminal, without its colours. */
export function columnsOf(text: string): number {
  return [...stripVTControlCharacters(text)].length;
}
