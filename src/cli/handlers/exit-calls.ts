import { HookporterError } from "../../base/errors.ts";
import type { CliContext } from "../context.ts";
import { ERROR_EXIT_CODES, type ExitCode } from "../exit-codes.ts";
import { printable } from "../output.ts";

/**
 * Prints an error if the user's code ends the process, which would otherwise end silently and with
 * that code, such as 0. `consequence` says in a few words which entries were running, and what
 * happens to them. Returns a stop function.
 */
export function watchExitCalls(
  { io, output, debug }: CliContext,
  consequence: () => string,
  onEnd?: (reason: string, exitCode: ExitCode) => void,
): () => void {
  return io.onExitCall((call) => {
    const at = call.at === undefined ? "" : ` at ${call.at}`;
    const reason = `a handler, or code it uses, called process.exit(${call.code})${at}`;
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
