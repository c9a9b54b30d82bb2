import { commandOf, findProgram } from "../../base/system/programs.ts";
import type { DeadLetter } from "../../dispatch/plan/handler.ts";
import { withoutPassword } from "../../inbox/postgres/postgres-url.ts";
import type { CliContext } from "../context.ts";
import type { NamedInbox } from "../inbox/named-inbox.ts";
import { usageError } from "../input-errors.ts";
import { printable } from "../output.ts";
import { childEnvironment, type WithheldOptions } from "../secrets/child-environment.ts";
import { DeadLetterCommand } from "./dead-letter-command.ts";
import { ExecCommand } from "./exec-command.ts";

/** The options for running commands: a program and its arguments each. */
export interface CommandFlagOptions {
  readonly exec?: readonly string[];
  readonly onDead?: readonly string[];
}

/** The options beside them: variables that commands must not get. */
type Beside = CommandFlagOptions & WithheldOptions;

/**
 * Prepares the command of `--exec`; returns `undefined` without it. Throws `usage` if there is no
 * such program.
 */
export function openExec(
  options: Beside,
  inbox: NamedInbox,
  context: CliContext,
  onPrint: (text: string) => void = () => {},
): ExecCommand | undefined {
  if (options.exec === undefined) return undefined;
  return new ExecCommand({
    ...setUp("--exec", options.exec, { options, inbox, context }),
    onLine: (seq, line) => {
      context.output.talk(`exec #${seq}: ${printable(line, 500)}`);
      onPrint(line);
    },
  });
}

/**
 * Prepares the command of `--on-dead`; returns `undefined` without it. Its `close` waits for the
 * current run, and says for how many dead letters there was no run. Throws `usage` if there is no
 * such program.
 */
export function openDeadLetterCommand(options: Beside, inbox: NamedInbox, context: CliContext) {
  if (options.onDead === undefined) return undefined;
  const print = (line: string) => context.output.talk(`on-dead: ${printable(line, 500)}`);
  const setup = setUp("--on-dead", options.onDead, { options, inbox, context });
  const command = new DeadLetterCommand({ ...setup, onLine: print, onFailure: print });
  const close = async () => {
    await command.close();
    const { pending } = command;
    if (pending > 0)
      print(`not run for the last ${pending === 1 ? "dead letter" : `${pending} dead letters`}`);
  };
  return { note: (letter: DeadLetter) => command.note(letter), close };
}

/**
 * A command and its surroundings: none of our secrets, none of the variables named, and no password
 * of the inbox.
 */
function setUp(
  flag: string,
  words: readonly string[],
  { options, inbox, context: { io } }: { options: Beside; inbox: NamedInbox; context: CliContext },
) {
  const env = childEnvironment(io, options);
  const [program = ""] = words;
  if (findProgram(program, { cwd: io.cwd, env }) === undefined)
    throw usageError(
      `expected ${flag} to begin with a program, got ${program}, which is no executable file${program.includes("/") ? "" : " in PATH"}: correct it, or run a shell, such as 'sh -c "…"'`,
    );
  commandOf(words, { cwd: io.cwd, env }); // refuses what cannot be started
  const shown =
    inbox.option === "memory:" ? undefined : (inbox.file ?? withoutPassword(inbox.option));
  return { words, cwd: io.cwd, env, inbox: shown };
}
