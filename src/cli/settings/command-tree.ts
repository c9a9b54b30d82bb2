import type { Command } from "commander";

/** The commands that do something: those without commands of their own. */
export function leaves(command: Command): readonly Command[] {
  return command.commands.flatMap((child) => (child.commands.length === 0 ? [child] : leaves(child)));
}

/** A command's name from below the program, such as `events list`. */
export function commandName(command: Command): string {
  const above = command.parent?.parent == null ? "" : `${commandName(command.parent)} `;
  return above + command.name();
}

/** Flags that mean another thing in each command that has them, so that no setting can be for all of them. */
const OWN_MEANINGS: ReadonlySet<string> = new Set([
  "all",
  "count",
  "handlers",
  "limit",
  "port",
  "state",
  "timeout",
]);

/** Whether a flag, by its camel-case name, means another thing in each command: its settings name the command. */
export function hasOwnMeaning(flag: string): boolean {
  return OWN_MEANINGS.has(flag);
}
