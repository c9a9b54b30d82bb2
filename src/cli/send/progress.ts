import type { Writable } from "node:stream";
import type { CliContext } from "../context.ts";

/** A line at the bottom of the terminal that says how far a run is, or nothing if no one would see it. */
export interface Progress {
  /** Whether the line is shown, so that only important lines are printed. */
  readonly shown: boolean;
  /** Removes the line, so that others can be printed; the next step shows it again. */
  clear(): void;
  advance(): void;
  end(): void;
}

/** A run with fewer steps is too short for a line of progress. */
const WORTH_A_LINE = 20;

/** Milliseconds between two drawings. */
const INTERVAL = 100;

const ERASE_LINE = "\r\u001b[K";

/**
 * Starts a line of progress for a long run: only on a terminal, and not with `--json`. It is never wider than the terminal
 * and reads no keys, so Ctrl-C stays a signal.
 */
export function startProgress(steps: number, { io, output }: CliContext): Progress {
  const terminal = io.isTTY.stdout && io.isTTY.stderr && io.env.TERM !== "dumb";
  if (steps < WORTH_A_LINE || !terminal || output.json)
    return { shown: false, clear: () => {}, advance: () => {}, end: () => {} };
  let done = 0;
  let drawn = Number.NEGATIVE_INFINITY;
  const draw = () => {
    drawn = performance.now();
    io.stderr.write(ERASE_LINE + progressLine(done, steps, widthOf(io.stderr)));
  };
  const clear = () => {
    drawn = Number.NEGATIVE_INFINITY;
    io.stderr.write(ERASE_LINE);
  };
  draw();
  return {
    shown: true,
    clear,
    advance: () => {
      done++;
      if (performance.now() - drawn >= INTERVAL) draw();
    },
    end: clear,
  };
}

/** Such as `██████──── 60 %  417 of 700`, or as much of it as fits. */
export function progressLine(done: number, steps: number, width: number): string {
  const share = done / steps;
  const text = `${Math.floor(share * 100)} %  ${done} of ${steps}`;
  const cells = Math.min(40, width - text.length - 2);
  if (cells < 5) return text.slice(0, Math.max(0, width - 1));
  const filled = Math.round(share * cells);
  return `${"█".repeat(filled)}${"─".repeat(cells - filled)} ${text}`;
}

/** A terminal that does not know its width is probably 80 columns wide. */
function widthOf(stream: Writable & { readonly columns?: number }): number {
  return stream.columns || 80;
}
