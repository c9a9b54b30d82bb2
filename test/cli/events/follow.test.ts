import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { entriesAfter } from "../../../src/cli/events/follow.ts";
import { loadSqlite } from "../../../src/inbox/sqlite/client.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { AT, keep, numberedEntry } from "../../inbox/entries.ts";
import { tempFolder } from "../fake-io.ts";

it("an entry after a gap in the numbers is followed at once if the clock was set back since it came", async () => {
  const path = join(tempFolder(), "inbox.db");
  const inbox = sqliteInbox(path);
  await inbox.open();
  onTestFinished(() => inbox.close());
  for (const number of [1, 2]) await keep(inbox, numberedEntry(number));
  const database = new (loadSqlite().DatabaseSync)(path);
  database.exec("DELETE FROM entry WHERE seq = 1");
  database.close();
  const signal = AbortSignal.timeout(20_000);
  const found = entriesAfter(inbox, {}, { after: 0, clock: () => AT - 3_600_000, signal });
  expect(await found.next()).toMatchObject({ value: { seq: 2 } });
});
