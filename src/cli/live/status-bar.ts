import type { Output } from "../output.ts";
import { columnsOf, cutBetween } from "../wrap-text.ts";
import type { RecentEntry } from "./recent-entries.ts";

/** What the line at the bottom of the terminal says. */
export interface BarStatus {
  /** What was counted, such as `12 accepted, 11 handled`. */
  readonly counts: string;
  readonly away?: string | undefined;
  /** How many fail, such as `2 failing, 1 dead`; empty for none. */
  readonly failed?: string;
  readonly selected?: RecentEntry | undefined;
  readonly hasKeys?: boolean;
}

const GAP = "   ";
const HELP = "? help";
const KEYS = `↑↓ select  ${HELP}`;
const ENTRY_KEYS = `enter show  r retry  d drop  ${HELP}`;
/** Columns, if standard output is no terminal. */
const WIDE = 200;

/**
 * Milliseconds between two changes of the line: nobody reads faster, and a burst is not slowed
 * down.
 */
const REDRAW = 100;

/** The line at the bottom of the terminal. Nobody sees it without one. */
export class StatusBar {
  readonly #output: Output;
  #status: BarStatus = { counts: "" };
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(output: Output) {
    this.#output = output;
  }

  update(change: Partial<BarStatus>): void {
    this.#status = { ...this.#status, ...change };
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#output.status(statusText(this.#status, (this.#output.columns ?? WIDE) - 1));
    }, REDRAW).unref();
  }

  /** Removes the line for good. */
  close(): void {
    clearTimeout(this.#timer);
    this.#isClosed = true;
    this.#output.status(undefined);
  }
}

/**
 * The line's text; `undefined` if there is nothing to say. What is told first matters most; the
 * help is never lost.
 */
function statusText(status: BarStatus, columns: number): string | undefined {
  const { counts, away = "", failed = "", selected, hasKeys = false } = status;
  const parts =
    selected === undefined
      ? [away === "" ? "" : `! ${away}`, failed, counts]
      : [`▸ #${selected.seq} ${selected.text}`];
  const text = parts.filter((part) => part !== "").join(GAP);
  if (!hasKeys) return text === "" ? undefined : text;
  const long = selected === undefined ? KEYS : ENTRY_KEYS;
  const keys = columnsOf(text) + columnsOf(GAP + long) <= columns ? long : HELP;
  return text === "" ? keys : cutBetween(text, "  ", columns - columnsOf(GAP + keys)) + GAP + keys;
}
