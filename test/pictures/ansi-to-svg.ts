const ESCAPE = "\u001b";

/** How a character looks. */
interface Look {
  readonly color: number | undefined;
  readonly isDim: boolean;
  readonly isBold: boolean;
}

const PLAIN: Look = { color: undefined, isDim: false, isBold: false };
const TEXT = "#d4d4d8";
const BACKGROUND = "#18181b";
/** The eight colours of a terminal, by their number, on a dark ground. */
const COLORS = [
  "#71717a",
  "#f87171",
  "#4ade80",
  "#fbbf24",
  "#60a5fa",
  "#e879f9",
  "#22d3ee",
  "#e4e4e7",
];

/**
 * Pixels of a character. With `textLength`, every font is as wide as the one that is assumed here.
 */
const CELL = { width: 8.4, height: 19 };
const MARGIN = 16;

/**
 * Draws what a terminal shows, with the escape sequences of `tmux capture-pane -e`, as a picture of
 * this many columns.
 */
export function ansiToSvg(
  screen: string,
  { columns, title }: { columns: number; title: string },
): string {
  let look = PLAIN;
  const rows = screen.split("\n").map((line, row) => {
    const spans: string[] = [];
    let column = 0;
    for (const part of partsOf(line)) {
      if (typeof part !== "string") {
        look = lookAfter(look, part);
        continue;
      }
      spans.push(...wordsOf(part).map(([at, word]) => spanOf(word, column + at, row, look)));
      column += [...part].length;
    }
    return spans.join("");
  });
  const width = Math.ceil(columns * CELL.width + 2 * MARGIN);
  const height = rows.length * CELL.height + 2 * MARGIN;
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="${BACKGROUND}"/>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="${TEXT}">`,
    ...rows.filter((row) => row !== ""),
    "</g>",
    "</svg>",
  ].join("\n")}\n`;
}

/** The texts and the codes of the escape sequences in a line. */
function partsOf(line: string): readonly (string | readonly number[])[] {
  const [first = "", ...others] = line.split(`${ESCAPE}[`);
  return [
    first,
    ...others.flatMap((other) => {
      const [codes = "", ...text] = other.split("m");
      return [codes.split(";").map(Number), text.join("m")];
    }),
  ];
}

/** The look after the codes of one sequence. */
function lookAfter(before: Look, codes: readonly number[]): Look {
  let look = before;
  for (const code of codes) look = code === 0 ? PLAIN : { ...look, ...changeOf(code) };
  return look;
}

function changeOf(code: number): Partial<Look> {
  if (code === 1) return { isBold: true };
  if (code === 2) return { isDim: true };
  if (code === 22) return { isBold: false, isDim: false };
  if (code === 39) return { color: undefined };
  if (code >= 30 && code <= 37) return { color: code - 30 };
  if (code >= 90 && code <= 97) return { color: code - 90 };
  return {};
}

/** The parts of a text between runs of spaces, each with its place: spaces need no ink. */
function wordsOf(text: string): readonly (readonly [number, string])[] {
  return [...text.matchAll(/\S+(?: \S+)*/g)].map((match) => [
    [...text.slice(0, match.index)].length,
    match[0],
  ]);
}

function spanOf(text: string, column: number, row: number, { color, isDim, isBold }: Look): string {
  const x = (MARGIN + column * CELL.width).toFixed(1);
  const y = (MARGIN + (row + 0.75) * CELL.height).toFixed(1);
  const length = ([...text].length * CELL.width).toFixed(1);
  const fill = color === undefined ? "" : ` fill="${COLORS[color]}"`;
  const extra = `${fill}${isDim ? ' opacity="0.65"' : ""}${isBold ? ' font-weight="bold"' : ""}`;
  return `<text x="${x}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs"${extra} xml:space="preserve">${escaped(text)}</text>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
