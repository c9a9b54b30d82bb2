import type { CliContext } from "../context.ts";
import { SIGNAL_EXIT_CODES } from "../end/stop.ts";

export interface Interruption {
  readonly reason: string;
  readonly exitCode: 129 | 130 | 143;
}

interface RunEnds {
  /** Begins nothing more. */
  readonly stop: () => void;
  /** Ends what has begun. */
  readonly cut: (interruption: Interruption) => void;
  /** Reports how far the run came; the process ends next. */
  readonly onEnd: (interruption: Interruption) => void;
}

/** Milliseconds that what has begun may take after the signal. */
export const GRACE = 2000;

/**
 * Stops a run at the first signal, and what has begun after 2 seconds; a second signal ends the
 * process at once. `done` must be called when the run has ended; then signals end the process
 * again.
 */
export function stopRunOnSignal({ io }: CliContext, { stop, cut, onEnd }: RunEnds) {
  let interruption: Interruption | undefined;
  let timer: NodeJS.Timeout | undefined;
  const off = io.onSignal((signal) => {
    const exitCode = SIGNAL_EXIT_CODES[signal];
    if (interruption !== undefined) {
      onEnd({ reason: `stopped at once by ${signal}`, exitCode });
      io.exit(exitCode);
      return;
    }
    const first = { reason: `stopped by ${signal}`, exitCode } as const;
    interruption = first;
    stop();
    timer = setTimeout(() => cut(first), GRACE);
  });
  return {
    get reason() {
      return interruption;
    },
    done: () => {
      clearTimeout(timer);
      off();
    },
  };
}
