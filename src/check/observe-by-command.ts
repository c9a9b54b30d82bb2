import { execFile } from "node:child_process";
import { describeError, HookporterError } from "../errors.ts";
import { askForEach, EVENT_ID, MARKER, type Observer, readCount } from "./observer.ts";

export interface CommandSurroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds until the command is stopped. */
  readonly timeout: number;
}

/**
 * Observes with a command, run without a shell: the marker replaces `{marker}`, or is added as the last argument. Only the
 * output counts, not the exit code, since `grep -c` fails when it prints 0.
 */
export function observeByCommand(command: string, surroundings: CommandSurroundings): Observer {
  const [program = "", ...given] = splitCommand(command);
  const placed = command.includes(MARKER) || command.includes(EVENT_ID);
  return {
    count: (event) =>
      askForEach(command, event, async (fill) => {
        const argv = placed ? given.map(fill) : [...given, event.marker];
        const { output, error } = await runProgram(program, argv, surroundings);
        try {
          return readCount(output);
        } catch (thrown) {
          const end = error === null ? "" : ` (${describeError(error).split("\n")[0]})`;
          throw new HookporterError("usage", `--observe ${program}: ${describeError(thrown)}${end}`, {
            cause: thrown,
          });
        }
      }),
  };
}

/** Splits a command into words: at white space; quotes keep words together, and nothing else is special. */
export function splitCommand(command: string): readonly string[] {
  const words = command.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, "$1$2"));
}

function runProgram(
  program: string,
  argv: readonly string[],
  { cwd, env, timeout }: CommandSurroundings,
): Promise<{ output: string; error: Error | null }> {
  return new Promise((resolve) => {
    execFile(program, argv, { cwd, env, timeout }, (error, output) => resolve({ output, error }));
  });
}
