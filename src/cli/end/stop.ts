import type { HookporterError } from "../../base/errors.ts";
import { durationText } from "../../base/text/duration-text.ts";
import type { CliContext } from "../context.ts";
import type { ExitCode } from "../exit-codes.ts";
import type { StopSignal } from "../io.ts";
import { SAME_SIGNAL } from "../project/run-server.ts";
import type { Goal } from "./goal.ts";
import type { ListenTally } from "./tally.ts";

/** The exit code of a command that a signal ended before its goal. */
export const SIGNAL_EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

export interface Stop {
  readonly reason: string;
  readonly exitCode: ExitCode;
  /** The error to report once everything is closed, if something went wrong. */
  readonly error?: HookporterError;
}

/**
 * Calls `stop` at the first signal. A second one ends the process at once, whatever is still
 * closing.
 */
export function stopOnSignal(
  goal: Goal | undefined,
  tally: Pick<ListenTally, "line" | "fields">,
  { io, output }: CliContext,
  stop: (stop: Stop) => void,
): () => void {
  let asked: { readonly signal: StopSignal; readonly at: number } | undefined;
  return io.onSignal((signal) => {
    const interrupted = SIGNAL_EXIT_CODES[signal];
    if (asked !== undefined) {
      const isSame = signal === asked.signal && signal !== "SIGINT";
      if (isSame && performance.now() - asked.at < SAME_SIGNAL) return;
      const reason = `stopped at once by ${signal}`;
      output.talk(`${reason}: ${tally.line}`);
      output.record("stopped", { reason, exitCode: interrupted, ...tally.fields });
      io.exit(interrupted);
      return;
    }
    asked = { signal, at: performance.now() };
    output.talk("stopping; press Ctrl-C again to stop at once");
    stop({ reason: `stopped by ${signal}`, exitCode: goal === undefined ? 0 : interrupted });
  });
}

export function stopAfter(
  timeout: number | undefined,
  goal: Goal | undefined,
  stop: (stop: Stop) => void,
) {
  if (timeout === undefined) return () => {};
  const giveUp = () =>
    stop({ reason: `timed out: ${goal?.progress} in ${durationText(timeout)}`, exitCode: 6 });
  const timer = setTimeout(giveUp, timeout);
  return () => clearTimeout(timer);
}
