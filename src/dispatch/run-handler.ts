import { describeError, HookporterError } from "../errors.ts";
import type { AttemptRecord } from "../inbox/inbox.ts";

/** Longer error texts are cut, in bytes: a handler may throw a whole page. */
const MAX_ERROR_BYTES = 2048;

/**
 * Runs one handler with a time limit and records how it ended. Never throws, whatever the handler throws. The signal
 * given to the handler is aborted when its time is over or the outer signal is; a handler that ignores it is left
 * behind, and what it returns later counts for nothing.
 */
export async function runHandler(
  run: (signal: AbortSignal) => unknown,
  options: {
    readonly handler: string;
    readonly attempt: number;
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
    readonly clock: () => number;
  },
): Promise<AttemptRecord> {
  const { handler, attempt, timeoutMs, signal, clock } = options;
  const startedAt = clock();
  const start = performance.now();
  const end = (outcome: AttemptRecord["outcome"], error: string | null): AttemptRecord => {
    const durationMs = Math.round((performance.now() - start) * 100) / 100;
    return { attempt, handler, startedAt, durationMs, outcome, error };
  };
  const aborter = new AbortController();
  const abort = () => aborter.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  const overdue = new HookporterError("handler_timeout", `did not finish in ${timeoutMs} ms`);
  const timer = setTimeout(() => aborter.abort(overdue), timeoutMs);
  try {
    await Promise.race([Promise.resolve().then(() => run(aborter.signal)), aborted(aborter.signal)]);
    return end("ok", null);
  } catch (thrown) {
    return end(aborter.signal.reason === overdue ? "timeout" : "error", cut(describeError(thrown)));
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function cut(text: string): string {
  if (text.length <= MAX_ERROR_BYTES && Buffer.byteLength(text) <= MAX_ERROR_BYTES) return text;
  // Cutting bytes can halve a character; decoding turns the half into U+FFFD, which is dropped.
  const head = Buffer.from(text.slice(0, MAX_ERROR_BYTES))
    .subarray(0, MAX_ERROR_BYTES - 4)
    .toString("utf8");
  return `${head.replace(/\uFFFD$/, "")}…`;
}
