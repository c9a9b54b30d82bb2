import { join } from "node:path";
import { onTestFinished } from "vitest";
import { DEFAULT_INBOX } from "../../src/cli/files/state-folder.ts";
import { sqliteInbox } from "../../src/inbox/sqlite.ts";
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
