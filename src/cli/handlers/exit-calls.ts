import { HookporterError } from "../../errors.ts";
import type { CliContext } from "../context.ts";
import { ERROR_EXIT_CODES, type ExitCode } from "../exit-codes.ts";
import type { ExitCall } from "../io.ts";
import { printable } from "../printable.ts";

/** How a command that runs handlers ends when one of them ends the process. */
export interface ExitCallEnd {
  /** What that means, in a few words: which entries were running and what becomes of them. */
  readonly consequence: () => string;
  /** Prints what the command prints at its end. */
  readonly onEnd?: (reason: string, exitCode: ExitCode) => void;
}

/**
 * Says in one line that the user's code ended the process, which would otherwise end with its code, such as 0, and
 * without a word. Returns the way back.
 */
export function watchExitCalls(
  { consequence, onEnd }: ExitCallEnd,
  { io, output, debug }: CliContext,
): () => void {
  return io.onExitCall((call) => {
    const reason = describeCall(call);
    const code = "handler_exited";
    const exitCode = ERROR_EXIT_CODES[code];
    onEnd?.(reason, exitCode);
    const { message, stack } = new HookporterError(
      code,
      `${reason}. ${consequence()}. Throw an error instead, or return`,
    );
    output.talk(`error: ${printable(message, 1000)}`);
    output.record("error", { code, message });
    if (debug) output.talk(String(stack));
    return exitCode;
  });
}

function describeCall({ code, at }: ExitCall): string {
  return `a handler, or code it uses, called process.exit(${code})${at === undefined ? "" : ` at ${at}`}`;
}
