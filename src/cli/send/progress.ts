import type { CliContext } from "../context.ts";

/** A progress bar, or nothing where nobody would see one. */
export interface Progress {
  /** Whether a bar is on the screen, so that lines should be kept for what matters. */
  readonly shown: boolean;
  advance(): void;
  end(): void;
}

/** Fewer steps than this are over before a bar says anything. */
const WORTH_A_BAR = 20;

/** Starts a progress bar for so many steps: on a terminal, for a long run, not under `--json`. */
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
