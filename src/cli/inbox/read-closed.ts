import { existsSync } from "node:fs";
import type { Inbox } from "../../inbox/inbox.ts";
import { selectInbox } from "../../inbox/open.ts";
import type { NamedInbox } from "./named-inbox.ts";

/**
 * Reads from an inbox that no receiver of this process has open; `undefined` if that cannot be
 * done, as with one in memory.
 */
export async function readClosed<Result>(
  { option, file }: NamedInbox,
  read: (inbox: Inbox) => Promise<Result>,
): Promise<Result | undefined> {
  if (option === "memory:" || (file !== undefined && !existsSync(file))) return undefined;
  let inbox: Inbox | undefined;
  try {
    inbox = selectInbox(option);
    await inbox.open({ access: "read" });
    return await read(inbox);
  } catch {
    return undefined; // the command that needs the inbox reports what is wrong with it
  } finally {
    await inbox?.close();
  }
}
