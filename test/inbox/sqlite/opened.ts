import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Inbox } from "../../../src/inbox/inbox.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { tempFolder } from "../../cli/fake-io.ts";
import { AT } from "../entries.ts";

/** The path of an inbox file that is not there yet, in a folder that ends with the test. */
export const newPath = () => join(tempFolder(), "inbox.db");

/** Opens an inbox file, by default a new one, until the test ends. */
export async function open(path = newPath()): Promise<Inbox> {
  const inbox = sqliteInbox(path);
  await inbox.open();
  onTestFinished(() => inbox.close());
  return inbox;
}

/** Opens an inbox file for some work, and closes it again. */
export async function using<Result>(
  path: string,
  use: (inbox: Inbox) => Promise<Result>,
): Promise<Result> {
  const inbox = sqliteInbox(path);
  await inbox.open();
  try {
    return await use(inbox);
  } finally {
    await inbox.close();
  }
}

export const claim = (inbox: Inbox) => inbox.claim({ now: AT, limit: 10, leaseTime: 1000 });
