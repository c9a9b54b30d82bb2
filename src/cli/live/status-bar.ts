import type { Output } from "../output.ts";
import type { RecentEntry } from "./recent-entries.ts";

/** What the line at the bottom of the terminal says. */
export interface BarStatus {
  /** What was counted, such as `12 accepted, 11 done`. */
  readonly counts: string;
  readonly away?: string | undefined;
  readonly selected?: RecentEntry | undefined;
  readonly paused?: boolean;
  /** The filter that lines must match; empty for none. */
  readonly filter?: string;
  readonly hasKeys?: boolean;
}

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
      this.#output.status(statusText(this.#status));
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
function statusText(status: BarStatus): string | undefined {
  const { counts, away, selected, paused = false, filter = "", hasKeys = false } = status;
  if (selected !== undefined) {
    return `▸ #${selected.seq} ${selected.text}   enter show  r run again  d drop  o page  esc back`;
  }
  const parts = [
    ...(paused ? ["paused: p resumes"] : []),
    ...(filter === "" ? [] : [`only ${JSON.stringify(filter)}`]),
    ...(away === undefined ? [] : [`! ${away}`]),
    ...(counts === "" ? [] : [counts]),
  ];
  if (hasKeys) parts.push("↑↓ select  ? help");
  return parts.length === 0 ? undefined : parts.join("   ");
}
