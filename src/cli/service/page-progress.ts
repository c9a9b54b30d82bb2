import type { CliContext } from "../context.ts";

/** A line on the terminal that says how far a list has come. */
export interface PageProgress {
  /** Shows the line, or changes it in place. */
  show(text: string): void;
  /** Removes the line, so that others can be printed. */
  clear(): void;
}

const NONE: PageProgress = { show: () => {}, clear: () => {} };

/** Opens a progress line on standard error: only on a terminal that can change a line in place. */
export function openPageProgress({ io }: Pick<CliContext, "io">): PageProgress {
  if (!io.isTTY.stderr || io.env.TERM === "dumb") return NONE;
  let shown = false;
  const clear = () => {
    if (shown) io.stderr.write("\u001b[2K");
    shown = false;
  };
  return {
    show: (text) => {
      clear();
      io.stderr.write(`${text}\r`); // the cursor goes back, so that any other message overwrites the line
      shown = true;
    },
    clear,
  };
}
