import { HookporterError } from "../../errors.ts";
import type { CliContext } from "../context.ts";
import { ERROR_EXIT_CODES, type ExitCode } from "../exit-codes.ts";
import type { ExitCall } from "../io.ts";
import { printable } from "../printable.ts";

interface ExitCallEnd {
  /** Says in a few words which entries were running, and what happens to them. */
  readonly consequence: () => string;
  readonly onEnd?: (reason: string, exitCode: ExitCode) => void;
}

/**
 * Prints an error if the user's code ends the process, which would otherwise end silently and with that code, such as 0.
 * Returns a stop function.
 */
export function watchExitCalls({ consequence, onEnd }: ExitCallEnd, { io, output, debug }: CliContext) {
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
    output.record("error", { code, message, mayHaveHappened: null });
    if (debug) output.talk(String(stack));
    return exitCode;
  });
}

function describeCall({ code, at }: ExitCall): string {
  return `a handler, or code it uses, called process.exit(${code})${at === undefined ? "" : ` at ${at}`}`;
}
