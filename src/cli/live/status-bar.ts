import type { Output } from "../output.ts";
import { columnsOf, cutToColumns } from "../wrap-text.ts";
import type { RecentEntry } from "./recent-entries.ts";

/** What the line at the bottom of the terminal says. */
export interface BarStatus {
  /** What was counted, such as `12 accepted, 11 done`. */
  readonly counts: string;
  readonly away?: string | undefined;
  /** How many fail, such as `2 failing, 1 dead`; empty for none. */
  readonly failed?: string;
  readonly selected?: RecentEntry | undefined;
  readonly paused?: boolean;
  /** The filter that lines must match; empty for none. */
  readonly filter?: string;
  readonly hasKeys?: boolean;
}

const GAP = "   ";
const KEYS = "   ↑↓ select  ? help";
const HELP = "  ? help";
/** Columns, if standard output is no terminal. */
const WIDE = 200;

/** Milliseconds between two changes of the line: nobody reads faster, and a burst is not slowed down. */
const REDRAW = 100;

/** The line at the bottom of the terminal. Nobody sees it without one. */
export class StatusBar {
  readonly #output: Output;
  #status: BarStatus = { counts: "" };
  #timer: NodeJS.Timeout | undefined;
  #hidden = false;

  constructor(output: Output) {
    this.#output = output;
  }

  /** Changes a part of what the line says. */
  update(change: Partial<BarStatus>): void {
    this.#status = { ...this.#status, ...change };
    if (this.#hidden) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#output.status(statusText(this.#status, (this.#output.columns ?? WIDE) - 1));
    }, REDRAW).unref();
  }

  /** Removes the line, while the user types or for good. */
  hide(): void {
    this.#hidden = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#output.status(undefined);
  }

  /** Shows the line again. */
  show(): void {
    this.#hidden = false;
    this.update({});
  }
}

/** The line's text; `undefined` if there is nothing to say. */
function statusText(status: BarStatus, columns: number): string | undefined {
  const { counts, away, failed = "", selected, paused = false, filter = "", hasKeys = false } = status;
  if (selected !== undefined) {
    return `▸ #${selected.seq} ${selected.text}   enter show  r run again  d drop  o page  esc back`;
  }
  const parts = [
    ...(paused ? ["paused: p resumes"] : []),
    ...(filter === "" ? [] : [`only ${JSON.stringify(filter)}`]),
    ...(away === undefined ? [] : [`! ${away}`]),
    ...(failed === "" ? [] : [failed]),
    ...(counts === "" ? [] : [counts]),
  ];
  const text = parts.join(GAP);
  if (!hasKeys) return text === "" ? undefined : text;
  if (text === "") return KEYS.trim();
  // What is told first matters most; the help is never lost.
  const keys = columnsOf(text) + columnsOf(KEYS) < columns ? KEYS : HELP;
  return cutToColumns(text, columns - columnsOf(keys)) + keys;
}
