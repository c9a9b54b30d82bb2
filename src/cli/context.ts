import type { ExitCode } from "./exit-codes.ts";
import type { InboxesHere } from "./inbox/inboxes-here.ts";
import type { Io } from "./io.ts";
import { createOutput, type Output } from "./output.ts";

export interface CliContext {
  readonly io: Io;
  readonly argv: readonly string[];
  /** Final once the command line is parsed. */
  output: Output;
  readonly clock: () => number;
  readonly run: RunCommandLine;
  /** The exit code if the command does not throw. */
  exitCode: ExitCode;
  /** The strings in the configuration file that set this command's options. */
  readonly configured: string[];
  /** Where this command's options come from that were not typed, by their camel-case names. */
  readonly origins: Map<string, string>;
  /** The inboxes that the command may mean in its folder; `undefined` if it takes none. */
  inboxes: InboxesHere | undefined;
  /** Set by `--debug`: errors print their stack. */
  debug: boolean;
}

/** Runs a command line and resolves to its exit code; never rejects. */
export type RunCommandLine = (argv: readonly string[], io: Io) => Promise<ExitCode>;

export function createContext(
  io: Io,
  argv: readonly string[] = [],
  run: RunCommandLine = async () => 1,
): CliContext {
  const clock = Date.now;
  return {
    io,
    argv,
    clock,
    run,
    exitCode: 0,
    configured: [],
    origins: new Map(),
    inboxes: undefined,
    debug: false,
    output: createOutput(io, { json: false, color: undefined, clock }),
  };
}
