import type { HookporterError } from "../../errors.ts";
import { durationText } from "../../text/duration-text.ts";
import type { CliContext } from "../context.ts";
import type { ExitCode } from "../exit-codes.ts";
import type { Goal } from "./goal.ts";
import type { ListenTally } from "./tally.ts";

/** Why listening ends. */
export interface Stop {
  readonly reason: string;
  readonly exitCode: ExitCode;
  /** The error to report once everything is closed, if something went wrong. */
  readonly error?: HookporterError;
}

/** Calls `stop` at the first signal. A second one ends the process at once, whatever is still closing. */
export function stopOnSignal(
  goal: Goal | undefined,
  tally: Pick<ListenTally, "line" | "fields">,
  { io, output }: CliContext,
  stop: (stop: Stop) => void,
): () => void {
  let asked = false;
  return io.onSignal((signal) => {
    const interrupted = signal === "SIGINT" ? 130 : 143;
    if (asked) {
      const reason = `stopped at once by ${signal}`;
      output.talk(`${reason}: ${tally.line}`);
      output.record("stopped", { reason, exitCode: interrupted, ...tally.fields });
      io.exit(interrupted);
      return;
    }
    asked = true;
    output.talk("stopping; press Ctrl-C again to stop at once");
    stop({ reason: `stopped by ${signal}`, exitCode: goal === undefined ? 0 : interrupted });
  });
}

/** Calls `stop` when the time is up. */
export function stopAfter(
  timeout: number | undefined,
  goal: Goal | undefined,
  stop: (stop: Stop) => void,
): () => void {
  if (timeout === undefined) return () => {};
  const giveUp = () =>
    stop({ reason: `timed out: ${goal?.progress} in ${durationText(timeout)}`, exitCode: 6 });
  const timer = setTimeout(giveUp, timeout);
  return () => clearTimeout(timer);
}
