import type { CliContext } from "../context.ts";
import type { NamedInbox } from "../inbox/named-inbox.ts";
import { printable } from "../printable.ts";
import { inboxForCommands, setUpCommand } from "./command-setup.ts";
import { DeadLetterCommand } from "./dead-letter-command.ts";

/** The options for running a command when there are dead letters. */
export interface OnDeadOptions {
  /** Program and arguments. */
  readonly onDead?: readonly string[];
}

/** The options beside it. */
interface Beside extends OnDeadOptions {
  readonly secretEnv?: readonly string[];
  readonly withheldEnv?: readonly string[];
}

/**
 * Prepares the command of `--on-dead`; returns `undefined` without it.
 *
 * @throws HookporterError `usage` if there is no such program
 */
export function openDeadLetterCommand(
  { onDead, secretEnv = [], withheldEnv = [] }: Beside,
  inbox: NamedInbox,
  context: CliContext,
): DeadLetterCommand | undefined {
  if (onDead === undefined) return undefined;
  const say = (line: string) => context.output.talk(`on-dead: ${printable(line, 500)}`);
  return new DeadLetterCommand({
    ...setUpCommand("--on-dead", onDead, [...secretEnv, ...withheldEnv], context),
    inbox: inboxForCommands(inbox),
    onLine: say,
    onFailure: say,
  });
}

/** Waits for the current run, and says how many dead letters no run was for. */
export async function closeDeadLetterCommand(
  command: DeadLetterCommand,
  { output }: CliContext,
): Promise<void> {
  await command.close();
  const { pending } = command;
  if (pending === 0) return;
  output.talk(
    `on-dead: not run for ${pending === 1 ? "the last dead letter" : `the last ${pending} dead letters`}`,
  );
}
