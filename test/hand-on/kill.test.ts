import { dirname } from "node:path";
import { it, onTestFinished } from "vitest";
import { sqliteInbox } from "../../src/inbox/sqlite.ts";
import { inboxFile } from "../receiver/sample.ts";
import { expectHandedOnOverKill } from "./over-kill.ts";

it("handOn loses nothing if the process is killed while batches are on their way", async () => {
  const inbox = inboxFile();
  await expectHandedOnOverKill(inbox, dirname(inbox), async () => {
    const store = sqliteInbox(inbox);
    await store.open();
    onTestFinished(() => store.close());
    return store;
  });
});
