import { existsSync } from "node:fs";
import type { Command } from "commander";
import { realPath } from "../../base/system/paths.ts";
import { CHANGEABLE } from "../../inbox/change-entries.ts";
import { entryState, type StoredState } from "../../inbox/entry-state.ts";
import { openUntouched } from "../../inbox/sqlite/care/examine.ts";
import { listEntries } from "../../inbox/sqlite/reads.ts";
import { closing } from "../../inbox/sqlite/statements.ts";
import type { CliContext } from "../context.ts";
import type { ExitCode } from "../exit-codes.ts";
import { nameInbox } from "../inbox/named-inbox.ts";
import { printable } from "../output.ts";
import { createProgram } from "../program.ts";
import { commandName } from "../settings/command-tree.ts";
import { applySettings } from "../settings/config.ts";
import { completionsOf, type FindEntries, type Word } from "./completions.ts";
import { FILES } from "./options.ts";

/** Prints what the last of the words may become; never an error, since a person is typing. */
export async function complete(words: readonly string[], context: CliContext): Promise<ExitCode> {
  try {
    const program: Command = createProgram(context);
    const entries: FindEntries = async (inbox, command) => {
      // Settings count as if they were typed; a file with code must not run at the Tab key.
      if (inbox === undefined) await applySettings(command, context, false);
      const { inbox: set } = command.opts<{ inbox?: string }>();
      return recentEntries(inbox ?? set, commandName(command), context);
    };
    const { words: found, files } = await completionsOf(program, words, entries);
    const lines = found.map(({ word, about }) => `${word}\t${printable(about, 80)}`);
    const all = [...lines, ...(files ? [FILES] : [])];
    if (all.length > 0) context.io.stdout.write(`${all.join("\n")}\n`);
  } catch {
    // Nothing is completed.
  }
  return 0;
}

/** How many of the newest entries are looked at: no index leads to those of a state. */
const LOOKED_AT = 5000;

const LIMIT = 50;

/** The states of entries that a command changes. */
const STATES: ReadonlyMap<string, readonly StoredState[]> = new Map([
  ["events retry", CHANGEABLE.retry],
  ["events drop", ["pending", "running"]],
]);

/** The numbers of the newest entries that a command may mean; none of an inbox on a server, which may take long. */
function recentEntries(inbox: string | undefined, command: string, context: CliContext): readonly Word[] {
  const { file } = nameInbox(context, inbox);
  if (file === undefined || !existsSync(file)) return [];
  return closing(openUntouched(realPath(file)), (statements) => {
    const [newest] = listEntries(statements, { limit: 1 });
    const states = STATES.get(command);
    const recent = { after: (newest?.seq ?? 0) - LOOKED_AT, limit: LIMIT, ...(states && { states }) };
    return listEntries(statements, recent)
      .toReversed()
      .map((entry) => ({
        word: String(entry.seq),
        about: `${entry.kind ?? "no event"}, ${entryState(entry)}`,
      }));
  });
}
