import type { CliContext } from "../context.ts";

/** A progress bar, or nothing if no one would see it. */
export interface Progress {
  /** Whether a bar is shown, so that only important lines are printed. */
  readonly shown: boolean;
  advance(): void;
  end(): void;
}

/** A run with fewer steps is too short for a bar. */
const WORTH_A_BAR = 20;

/** Starts a progress bar for a long run: only on a terminal, and not with `--json`. */
export async function startProgress(steps: number, { io, output }: CliContext): Promise<Progress> {
  const worth = steps >= WORTH_A_BAR && io.isTTY.stdout && io.isTTY.stderr && !output.json;
  if (!worth) return { shown: false, advance: () => {}, end: () => {} };
  const { progress } = await import("@clack/prompts");
  const bar = progress({ max: steps, output: io.stderr });
  bar.start(`0 of ${steps}`);
  let done = 0;
  return {
    shown: true,
    advance: () => bar.advance(1, `${++done} of ${steps}`),
    end: () => bar.stop(`${done} of ${steps}`),
  };
}
