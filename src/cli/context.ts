import type { ExitCode } from "./exit-codes.ts";
import type { Io } from "./io.ts";
import { createOutput, type Output } from "./output.ts";

/** What every command gets. */
export interface CliContext {
  readonly io: Io;
  /** Known once the command line is parsed. */
  readonly output: Output;
  readonly clock: () => number;
  /** What the command ends with if it does not throw. */
  exitCode: ExitCode;
  /** The texts that the configuration file has for this command. */
  readonly configured: string[];
  /** Set by `--debug`: errors show their stack. */
  debug: boolean;
}

/** A context whose output can still be changed by the options of the command line. */
export interface MutableContext extends CliContext {
  output: Output;
}

/** A context over the given surroundings. */
export function createContext(io: Io): MutableContext {
  const clock = Date.now;
  return {
    io,
    clock,
    exitCode: 0,
    configured: [],
    debug: false,
    output: createOutput(io, { json: false, color: undefined, clock }),
  };
}
