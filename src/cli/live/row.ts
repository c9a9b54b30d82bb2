import type { ChalkInstance } from "chalk";
import { durationText } from "../../text/duration-text.ts";
import { columnsOf, padToColumns, wrapText } from "../wrap-text.ts";

/** What a row is about, as a shape and a colour. */
export type Mark = "handled" | "waiting" | "failed" | "refused" | "received" | "duplicate" | "warning";

/** The shape and the colour of each mark: the same meaning everywhere. */
const MARKS = {
  handled: ["✓", "green"],
  waiting: ["↻", "yellow"],
  failed: ["✗", "red"],
  refused: ["✗", "magenta"],
  received: ["·", "dim"],
  duplicate: ["=", "dim"],
  warning: ["!", "yellow"],
} as const satisfies Record<Mark, readonly [string, keyof ChalkInstance]>;

/** A delivery, or a run of its handlers, in the live view. Its texts must be {@link printable}. */
export interface LiveRow {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** The entry's number; `null` if nothing was kept. */
  readonly seq: number | null;
  readonly mark: Mark;
  /** The kind, or what a request was that is no event. */
  readonly what: string;
  readonly word: string;
  readonly duration: number | null;
  /** The event id. The part of it that fits is enough for other commands. */
  readonly id: string | null;
  /** What a handler noted, such as a target's status. */
  readonly note?: string | null;
  /** What else there is to say in the same line, or in the next one if there is no room. */
  readonly more: readonly string[];
}

export interface RowStyle {
  readonly color: ChalkInstance;
  /** Columns of the terminal; `undefined` without one: then nothing is cut or wrapped. */
  readonly columns: number | undefined;
}

/** The column in which a row's text begins, and the lines beneath it. */
const INDENT = 17;
const WHAT = 20;
const WORD = 9;
const DURATION = 7;
/** Fewer characters of an event id are left out. */
const SHORTEST_ID = 8;

/** A row as one line, with a second one if a part of it has no room. */
export function rowLines(
  row: LiveRow,
  { color, columns = Number.POSITIVE_INFINITY }: RowStyle,
): readonly string[] {
  const { time, seq, mark, what, word, duration, id, note = null, more } = row;
  const [shape, paint] = MARKS[mark];
  const number = seq === null ? "–" : `#${seq}`;
  const start = `${color.dim(clockTime(time))}  ${number.padEnd(Math.max(4, number.length))} ${color[paint](shape)} `;
  const took = duration === null ? "" : durationText(duration);
  let line = `${start}${padToColumns(what, WHAT)}  ${color[paint](word.padEnd(WORD))}`;
  if (duration !== null || id !== null) line += `  ${color.dim(took.padStart(DURATION))}`;
  const left: string[] = [];
  for (const part of more) {
    if (columnsOf(line) + 2 + columnsOf(part) <= columns) line += `  ${color.yellow(part)}`;
    else left.push(part);
  }
  if (note !== null && columnsOf(line) + 2 + columnsOf(note) <= columns) line += `  ${color.dim(note)}`;
  const room = Math.min(columns - columnsOf(line) - 2, id?.length ?? 0);
  if (id !== null && room >= Math.min(SHORTEST_ID, id.length)) line += `  ${color.dim(id.slice(0, room))}`;
  return [
    line,
    ...beneath(
      left.map((part) => color.yellow(part)),
      { color, columns },
    ),
  ];
}

/** Lines that belong to the row above: indented, and wrapped between words. */
export function beneath(texts: readonly string[], { columns }: RowStyle): readonly string[] {
  const width = Math.max(20, (columns ?? Number.POSITIVE_INFINITY) - INDENT);
  return texts.flatMap((text) => wrapText(text, width)).map((line) => " ".repeat(INDENT) + line);
}

/** A text after the beginning of a row, wrapped between words beneath it. */
export function wrappedRow(
  start: string,
  text: string,
  { columns }: Pick<RowStyle, "columns">,
): readonly string[] {
  const width = Math.max(20, (columns ?? Number.POSITIVE_INFINITY) - INDENT);
  const [first = "", ...others] = wrapText(text, width, width + INDENT - columnsOf(start));
  return [start + first, ...others.map((line) => " ".repeat(INDENT) + line)];
}

/** The time of day at the beginning of a row, on this machine's clock. */
export function clockTime(instant: number): string {
  return new Date(instant).toTimeString().slice(0, 8);
}
