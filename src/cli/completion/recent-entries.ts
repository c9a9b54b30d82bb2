import { existsSync, realpathSync } from "node:fs";
import type { EntryState } from "../../inbox/entry.ts";
import { newestEntries } from "../../inbox/sqlite/newest-entries.ts";
import type { CliContext } from "../context.ts";
import { nameInbox } from "../inbox/named-inbox.ts";
import type { Word } from "./completions.ts";

/** The most entries. */
const LIMIT = 50;

/** The states of entries that a command changes. */
const STATES: ReadonlyMap<string, readonly EntryState[]> = new Map([
  ["events retry", ["pending", "dead", "unhandled"]],
  ["events drop", ["pending", "running"]],
]);

/** The numbers of the newest entries that a command may mean; none of an inbox on a server, which may take long. */
export function recentEntries(
  inbox: string | undefined,
  command: string,
  context: CliContext,
): readonly Word[] {
  const { file } = nameInbox(context, inbox);
  if (file === undefined || !existsSync(file)) return [];
  const entries = newestEntries(realpathSync(file), { states: STATES.get(command), limit: LIMIT });
  return entries.map(({ seq, kind, state }) => ({
    word: String(seq),
    about: `${kind ?? "no event"}, ${state}`,
  }));
}
