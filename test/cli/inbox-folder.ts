import { join } from "node:path";
import { onTestFinished } from "vitest";
import { DEFAULT_INBOX } from "../../src/cli/files/state-folder.ts";
import { sqliteInbox } from "../../src/inbox/sqlite.ts";
import { contentOf, fillEveryState } from "../inbox/transfer/every-state.ts";
import { type FakeIoOptions, runCli, tempFolder } from "./fake-io.ts";

/** Runs command lines, whose words have no spaces, in a folder. */
export function cliIn(cwd: string, options: FakeIoOptions = {}) {
  return (line: string, more: FakeIoOptions = {}) =>
    runCli(line.split(" "), { cwd, ...options, ...more });
}

/**
 * A folder with an inbox, which is open until the test ends, and command lines in it. Default: the
 * inbox that commands open.
 */
export async function inboxFolder(file: string = DEFAULT_INBOX, cwd = tempFolder()) {
  const path = join(cwd, file);
  const inbox = sqliteInbox(path);
  await inbox.open();
  onTestFinished(() => inbox.close());
  return { cwd, path, inbox, cli: cliIn(cwd) };
}

/** The same, of an inbox that has entries of every state, and is closed. */
export async function filledFolder(file = "a.db") {
  const { inbox, ...folder } = await inboxFolder(file);
  await fillEveryState(inbox);
  const content = await contentOf(inbox);
  await inbox.close();
  return { ...folder, content };
}

/** What an inbox file holds. */
export async function contentAt(path: string) {
  const inbox = sqliteInbox(path);
  await inbox.open();
  const content = await contentOf(inbox);
  await inbox.close();
  return content;
}
