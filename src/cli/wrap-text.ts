import stringWidth from "string-width";

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

/** The number of columns that a text takes on a terminal, without its colours: two for most of Chinese, Japanese and Korean. */
export function columnsOf(text: string): number {
  return stringWidth(text);
}

const CHARACTERS = new Intl.Segmenter();

/** As much of a text without colours as fits in a number of columns. */
export function cutToColumns(text: string, columns: number): string {
  let [kept, left] = ["", columns];
  for (const { segment } of CHARACTERS.segment(text)) {
    left -= columnsOf(segment);
    if (left < 0) break;
    kept += segment;
  }
  return kept;
}

/** A text without colours, followed by spaces up to a number of columns. */
export function padToColumns(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - columnsOf(text)));
}
