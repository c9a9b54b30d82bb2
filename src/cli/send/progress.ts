import type { CliContext } from "../context.ts";
import type { Io } from "../io.ts";

/**
 * A line at the bottom of the terminal that says how far a run is, or nothing if no one would see
 * it.
 */
export type SendProgress = ReturnType<typeof startProgress>;

/** A run with fewer steps is too short for a line of progress. */
const WORTH_A_LINE = 20;

/** Milliseconds between two drawings. */
const INTERVAL = 100;

/** Starts a line of progress for a long run. It reads no keys, so Ctrl-C stays a signal. */
export function startProgress(steps: number, { output, io }: CliContext) {
  let done = 0;
  let drawn = 0;
  const draw = () => {
    drawn = performance.now();
    return output.status(progressLine(done, steps, io));
  };
  const shown = steps >= WORTH_A_LINE && draw();
  return {
    shown, // if it is, only important lines are printed
    advance: () => {
      done++;
      if (shown && performance.now() - drawn >= INTERVAL) draw();
    },
    end: () => void output.status(undefined),
  };
}

/** Such as `██████──── 60 %  417 of 700`, or as much of it as fits. */
export function progressLine(
  done: number,
  steps: number,
  { stderr }: Pick<Io, "stderr">,
  end = "",
): string {
  const share = done / steps;
  const text = `${Math.floor(share * 100)} %  ${done} of ${steps}${end}`;
  const { columns } = stderr as { readonly columns?: number };
  const cells = Math.min(40, (columns || 80) - text.length - 2);
  if (cells < 5) return text;
  const filled = Math.round(share * cells);
  return `${"█".repeat(filled)}${"─".repeat(cells - filled)} ${text}`;
}
