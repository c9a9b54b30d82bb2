import stringWidth from "string-width";

/**
 * Breaks a text between words into lines of at most `width` columns; the first line may be shorter.
 */
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

/**
 * A text after a beginning, wrapped between words; further lines are indented. Without a terminal
 * it is one line. `style` paints the text.
 */
export function hangingLines(
  start: string,
  text: string,
  indent: number,
  columns = Number.POSITIVE_INFINITY,
  style: (line: string) => string = (line) => line,
): readonly string[] {
  const width = Math.max(20, columns - indent);
  const room = width + indent - columnsOf(start);
  const [first = "", ...others] = wrapText(text, width, room);
  const below = (lines: readonly string[]) => lines.map((line) => " ".repeat(indent) + style(line));
  // One word without room beside the beginning has more below it.
  if (columnsOf(first) > room && room < width)
    return [start.trimEnd(), ...below([first, ...others])];
  return [start + style(first), ...below(others)];
}

/** The columns to fill: at most 120, even of a wider terminal; all, without one. */
export function readableWidth({ columns }: { readonly columns: number | undefined }): number {
  return columns === undefined ? Number.POSITIVE_INFINITY : Math.min(columns, 120);
}

/**
 * The number of columns that a text takes on a terminal, without its colours: two for most of
 * Chinese, Japanese and Korean.
 */
export const columnsOf = stringWidth;

const CHARACTERS = new Intl.Segmenter();

/** As much of a text without colours as fits in a number of columns. */
export function cutToColumns(text: string, columns: number): string {
  let kept = "";
  let left = columns;
  for (const { segment } of CHARACTERS.segment(text)) {
    left -= columnsOf(segment);
    if (left < 0) break;
    kept += segment;
  }
  return kept;
}

/**
 * As much of a text as fits, without a word or number of several that is cut; what is left out is
 * marked.
 */
export function cutBetween(text: string, separator: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  const parts = cutToColumns(text, columns - 1).split(separator);
  return parts.length === 1 ? `${parts[0]}…` : `${parts.slice(0, -1).join(separator)} …`;
}

/** A text without colours, followed by spaces up to a number of columns. */
export function padToColumns(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - columnsOf(text)));
}
