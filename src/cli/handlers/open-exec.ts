import type { CliContext } from "../context.ts";
import type { NamedInbox } from "../inbox/named-inbox.ts";
import { printable } from "../printable.ts";
import { inboxForCommands, setUpCommand } from "./command-setup.ts";
import { ExecCommand } from "./exec-command.ts";

/** The options for running a command per event. */
export interface ExecFlagOptions {
  /** Program and arguments. */
  readonly exec?: readonly string[];
}

/** The options beside it. */
interface Beside extends ExecFlagOptions {
  readonly secretEnv?: readonly string[];
  readonly withheldEnv?: readonly string[];
}

/**
 * Prepares the command of `--exec`; returns `undefined` without it.
 *
 * @throws HookporterError `usage` if there is no such program
 */
export function openExec(
  { exec, secretEnv = [], withheldEnv = [] }: Beside,
  inbox: NamedInbox,
  context: CliContext,
  onPrint: (text: string) => void = () => {},
): ExecCommand | undefined {
  if (exec === undefined) return undefined;
  return new ExecCommand({
    ...setUpCommand("--exec", exec, [...secretEnv, ...withheldEnv], context),
    inbox: inboxForCommands(inbox),
    onLine: (seq, line) => {
      context.output.talk(`exec #${seq}: ${printable(line, 500)}`);
      onPrint(line);
    },
  });
}
