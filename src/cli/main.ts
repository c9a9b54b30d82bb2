/**
 * A command line, variables and a configuration file come in. Lines or records go out, and an exit
 * code. No secret is printed.
 */

import { CommanderError } from "commander";
import { describeError, HookporterError } from "../base/errors.ts";
import { isError } from "../base/guards.ts";
import { suggestInbox } from "../base/package/own-command.ts";
import { unusableFrom } from "../base/unusable.ts";
import { ServiceError } from "../service/client/service-error.ts";
import { COMPLETE } from "./completion/completion-options.ts";
import { type CliContext, createContext } from "./context.ts";
import { ERROR_EXIT_CODES, type ExitCode } from "./exit-codes.ts";
import { hideGiven } from "./hide-given.ts";
import type { Io } from "./io.ts";
import { createOutput, printable } from "./output.ts";
import { createProgram } from "./program.ts";

/** Runs a command line and returns its exit code. The only place that catches errors. */
export async function run(argv: readonly string[], io: Io): Promise<ExitCode> {
  const context = createContext(io, argv, run);
  if (argv[0] === COMPLETE)
    return (await import("./completion/complete.ts")).complete(argv.slice(1), context);
  // If the command line or the configuration file is invalid, its own `--json` was never read.
  if (wantsJson(argv, io))
    context.output = createOutput(io, { json: true, color: undefined, clock: context.clock });
  try {
    await createProgram(context).parseAsync([...argv], { from: "user" });
    return context.exitCode;
  } catch (thrown) {
    return report(thrown, context);
  } finally {
    suggestInbox(undefined);
  }
}

function wantsJson(argv: readonly string[], { env }: Io): boolean {
  const end = argv.indexOf("--");
  const flags = end === -1 ? argv : argv.slice(0, end);
  return flags.includes("--json") || ["true", "1"].includes(env.HOOKPORTER_JSON ?? "");
}

function report(thrown: unknown, context: CliContext): ExitCode {
  const { output, debug } = context;
  if (thrown instanceof CommanderError) {
    if (thrown.exitCode === 0) return 0; // --help and --version
    // commander has printed a group's help to standard error
    record("usage", "expected a command, got none");
    return 2;
  }
  const known = thrown instanceof HookporterError ? thrown : unusableFrom(thrown);
  if (known !== undefined) {
    print(
      known.code,
      hide(known.message),
      known instanceof ServiceError ? known.mayHaveHappened : null,
    );
    if (debug) output.talk(hide(String(isError(thrown) ? thrown.stack : known.stack)));
    return ERROR_EXIT_CODES[known.code];
  }
  const text = `this is a bug in hookporter, please report it: ${hide(describeError(thrown))}`;
  print("unexpected", debug ? text : `${text} (--debug shows the stack)`);
  if (debug && isError(thrown)) output.talk(hide(String(thrown.stack)));
  return 1;

  /**
   * A secret that was pasted in the wrong place must not be repeated, least of all in a build log.
   */
  function hide(text: string): string {
    return hideGiven(text, context, context.io);
  }

  function print(code: string, message: string, mayHaveHappened: boolean | null = null): void {
    output.error(`error: ${printable(message, 1000)}`);
    record(code, message, mayHaveHappened);
  }

  function record(code: string, message: string, mayHaveHappened: boolean | null = null): void {
    output.record("error", { code, message, mayHaveHappened });
  }
}
