import { describeError, HookporterError } from "../errors.ts";
import type { AttemptRecord } from "../inbox/inbox.ts";
import { cutText } from "./cut-text.ts";
import { OwnSignal } from "./own-signal.ts";
import { retryAfterOf } from "./retry-after.ts";

/** A run of a handler, and what it asks of the next one. */
export interface HandlerRun {
  readonly record: AttemptRecord;
  /** Milliseconds that the handler's error asks to wait, as its `retryAfterMs`; `undefined` where it asks for nothing. */
  readonly retryAfterMs: number | undefined;
}

/** What one run of a handler is held to. */
export interface RunLimits {
  readonly handler: string;
  readonly attempt: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly clock: () => number;
}

/**
 * Runs one handler with a time limit and records how it ended. Never throws, whatever the handler throws. The signal
 * given to the handler is aborted when its time is over or the outer signal is; a handler that ignores it is left
 * behind, and what it returns or notes later counts for nothing.
 */
export async function runHandler(
  run: (own: OwnSignal, note: (text: string) => void) => unknown,
  options: RunLimits,
): Promise<HandlerRun> {
  const { handler, attempt, timeoutMs, signal, clock } = options;
  const startedAt = clock();
  const start = performance.now();
  const notes: string[] = [];
  const note = (text: string) => void notes.push(cutText(String(text)));
  const end = (outcome: AttemptRecord["outcome"], error: string | null, thrown?: unknown): HandlerRun => {
    const durationMs = Math.round((performance.now() - start) * 100) / 100;
    const noted = notes.length === 0 ? null : cutText(notes.join("\n"));
    const record = { attempt, handler, startedAt, durationMs, outcome, error, note: noted };
    return { record, retryAfterMs: retryAfterOf(thrown) };
  };
  const own = new OwnSignal();
  let stop = (_: unknown) => {};
  const ended = new Promise<unknown>((resolve, reject) => {
    stop = (reason) => {
      own.abort(reason);
      reject(reason);
    };
    Promise.resolve()
      .then(() => run(own, note))
      .then(resolve, reject);
  });
  const stopWithAll = () => stop(signal.reason);
  signal.addEventListener("abort", stopWithAll);
  let overdue: HookporterError | undefined; // made when it is needed: an error is dear
  const timer = setTimeout(() => {
    overdue = new HookporterError(
      "handler_timeout",
      `expected the handler to finish within ${timeoutMs} ms, got no result: make it faster, or raise handlerTimeout`,
    );
    stop(overdue);
  }, timeoutMs);
  if (signal.aborted) stopWithAll();
  try {
    await ended;
    return end("ok", null);
  } catch (thrown) {
    const late = overdue !== undefined && own.reason === overdue;
    return end(late ? "timeout" : "error", cutText(describeError(thrown)), thrown);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stopWithAll);
  }
}
