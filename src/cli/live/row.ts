import { durationText } from "../../base/text/duration-text.ts";
import type { EntryState } from "../../inbox/entry-state.ts";
import type { Verdict } from "../../inspector/live/verdict.ts";
import { type Output, printable } from "../output.ts";
import { columnsOf, cutToColumns, hangingLines, padToColumns } from "../wrap-text.ts";

/**
 * The shape and the colour of each word for a delivery or an entry: the same meaning everywhere.
 */
export const MARKS = {
  waiting: ["↻", "yellow"],
  failing: ["↻", "yellow"],
  running: ["↻", "blue"],
  handled: ["✓", "green"],
  dead: ["✗", "red"],
  received: ["·", "dim"],
  accepted: ["·", "dim"],
  duplicate: ["=", "dim"],
  rejected: ["✗", "red"],
  failed: ["✗", "red"],
  unauthorized: ["✗", "magenta"],
  refused: ["✗", "magenta"],
  warning: ["!", "yellow"],
} as const satisfies Record<
  EntryState | Verdict["word"] | "warning",
  readonly [string, "yellow" | "blue" | "green" | "red" | "dim" | "magenta"]
>;

type Mark = keyof typeof MARKS;

/** A delivery, or a run of its handlers, in the live view. */
export interface LiveRow {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** The entry's number; without it nothing was kept. */
  readonly seq?: number | undefined;
  readonly mark: Mark;
  /** The kind, or what a request was that is no event. */
  readonly what: string;
  /** Default: that of the mark. */
  readonly word?: string;
  readonly duration?: number | undefined;
  /** The event id. The part of it that fits is enough for other commands. */
  readonly id?: string | undefined;
  /** What a handler noted, such as a target's status. */
  readonly note?: string | undefined;
  /** What else there is to say in the same line, or in the next one if there is no room. */
  readonly more?: readonly string[];
}

/** Without a terminal, nothing is cut or wrapped. */
export type RowStyle = Pick<Output, "color" | "columns">;

/** The column in which a row's text begins, and the lines beneath it. */
const INDENT = 17;
const WHAT = 20;
const WORD = 9;
const DURATION = 7;
/** Fewer characters of an event id are left out. */
const SHORTEST_ID = 8;

/** A row as one line, with a second one if a part of it has no room. */
export function rowLines(row: LiveRow, style: RowStyle): readonly string[] {
  const { mark, what, word = mark, duration, id = "", note, more = [] } = row;
  const { color, columns = Number.POSITIVE_INFINITY } = style;
  const paint = color[MARKS[mark][1]];
  const room = columns - INDENT - WORD - DURATION - 4;
  let line = `${rowStart(row, style)}${padToColumns(cutToColumns(printable(what, 60), room), WHAT)}  ${paint(word.padEnd(WORD))}`;
  const took = duration === undefined ? "" : durationText(duration);
  if (duration !== undefined || id !== "") line += `  ${color.dim(took.padStart(DURATION))}`;
  const left = () => columns - columnsOf(line) - 2;
  const below: string[] = [];
  for (const part of more) {
    if (columnsOf(part) <= left()) line += `  ${color.yellow(part)}`;
    else below.push(color.yellow(part));
  }
  if (note !== undefined && columnsOf(note) <= left()) line += `  ${color.dim(note)}`;
  const shown = printable(id, 60).slice(0, Math.max(0, left()));
  if (shown.length >= Math.min(SHORTEST_ID, id.length) && id !== "")
    line += `  ${color.dim(shown)}`;
  return [line, ...beneath(below, style)];
}

/** Prints a sentence after the beginning of a row, wrapped between words. */
export function printInRow(
  row: Pick<LiveRow, "time" | "seq" | "mark">,
  text: string,
  output: Output,
): void {
  const lines = hangingLines(rowStart(row, output), printable(text, 600), INDENT, output.columns);
  output.data(lines.join("\n"));
}

/** Lines that belong to the row above: indented, and wrapped between words. */
export function beneath(texts: readonly string[], { columns }: RowStyle): readonly string[] {
  return texts.flatMap((text) => hangingLines(" ".repeat(INDENT), text, INDENT, columns));
}

/** The time of day at the beginning of a row, on this machine's clock. */
export function clockTime(instant: number): string {
  return new Date(instant).toTimeString().slice(0, 8);
}

function rowStart(
  { time, seq, mark }: Pick<LiveRow, "time" | "seq" | "mark">,
  { color }: RowStyle,
): string {
  const [shape, paint] = MARKS[mark];
  const number = seq === undefined ? "–" : `#${seq}`;
  return `${color.dim(clockTime(time))}  ${number.padEnd(4)} ${color[paint](shape)} `;
}
