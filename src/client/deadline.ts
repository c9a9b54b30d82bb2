/** A time limit combined with the caller's signal. */
export interface Deadline {
  /** Aborted when the time is up, or the caller aborts. */
  readonly signal: AbortSignal;
  /** Whether the time is up. */
  readonly over: boolean;
  /** Removes timer and listener. */
  end(): void;
}

/** Starts a time limit. Uses own timers, since Node 20 may collect an `AbortSignal.any` whose sources are unreferenced. */
export function startDeadline(milliseconds: number, signal: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let over = false;
  const giveUp = () => {
    over = true;
    controller.abort();
  };
  const timer = setTimeout(giveUp, milliseconds);
  const abort = () => controller.abort(signal?.reason);
  if (signal?.aborted === true) abort();
  signal?.addEventListener("abort", abort, { once: true });
  return {
    signal: controller.signal,
    get over() {
      return over;
    },
    end: () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    },
  };
}
