import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import type { Inbox } from "../../../src/inbox/inbox.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { keep, numberedEntry, sampleKey } from "../../inbox/entries.ts";
import { runCli, tempFolder } from "../fake-io.ts";

let cwd: string;
let inbox: Inbox;

beforeEach(async () => {
  cwd = tempFolder();
  inbox = sqliteInbox(join(cwd, "inbox.db"));
  await inbox.open();
  onTestFinished(() => inbox.close());
});

const add = (eventId: string) => keep(inbox, numberedEntry(0, 0, { key: sampleKey({ eventId }) }));
const cli = (...argv: readonly string[]) => runCli([...argv, "--inbox", "inbox.db"], { cwd });

it("an entry that is named twice is changed and counted once", async () => {
  await add("evt_1");
  expect((await cli("events", "retry", "1", "evt_1", "#1")).stdout).toBe("1 to be retried now\n");
  const { stdout, stderr } = await cli("events", "drop", "1", "evt_1");
  expect([stdout, stderr]).toEqual(["1 dropped\n", expect.not.stringContaining("skipped")]);
});
