import { HookporterError } from "../../errors.ts";
import { withoutPassword } from "../../inbox/postgres/options.ts";
import type { CliContext } from "../context.ts";
import { canStart } from "../files/find-program.ts";
import type { NamedInbox } from "../inbox/named-inbox.ts";
import { childEnvironment } from "../secrets/child-environment.ts";
import type { CommandSetup } from "./run-command.ts";

/**
 * Prepares the command of a flag. Its environment has none of our secrets, and none of the variables named.
 *
 * @throws HookporterError `usage` if there is no such program
 */
export function setUpCommand(
  flag: string,
  words: readonly string[],
  secretNames: readonly string[],
  { io }: CliContext,
): CommandSetup {
  const env = childEnvironment(io, secretNames);
  const [program = ""] = words;
  if (!canStart(program, io.cwd, env.PATH)) {
    throw new HookporterError(
      "usage",
      `expected ${flag} to begin with a program, got ${program}, which is no executable file${program.includes("/") ? "" : " in PATH"}: correct it, or run a shell, such as 'sh -c "…"'`,
    );
  }
  return { words, cwd: io.cwd, env };
}

/** The inbox as commands get it: its file, or its URL without a password; `undefined` if it is in memory. */
export function inboxForCommands(inbox: NamedInbox): string | undefined {
  return inbox.option === "memory:" ? undefined : (inbox.file ?? withoutPassword(inbox.option));
}
