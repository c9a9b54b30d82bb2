import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { AttemptRecord } from "../../../src/inbox/attempt-record.ts";
import { loadSqlite } from "../../../src/inbox/sqlite/client.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { AT, claimOne, keep, numberedEntry, sampleEntry, settlementOf } from "../entries.ts";

const RECORD: AttemptRecord = {
  ...{
    attempt: 1,
    handler: "a",
    startedAt: AT,
    durationMs: 1,
    outcome: "ok",
    error: null,
    failure: null,
    note: null,
  },
};

it("a file without notes is migrated with all its content", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hookporter-schema-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "inbox.sqlite");
  const before = sqliteInbox(path);
  await before.open();
  await keep(before, sampleEntry());
  await before.settle(settlementOf(await claimOne(before), { records: [RECORD] }), AT);
  const entries = await before.list({});
  await before.close();

  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(path);
  database.exec(
    "DROP TABLE pruned_source; DROP TABLE runner; " +
      "ALTER TABLE attempt DROP COLUMN note; ALTER TABLE attempt DROP COLUMN failure; " +
      "DROP INDEX entry_waits; ALTER TABLE entry DROP COLUMN waits; ALTER TABLE entry DROP COLUMN problems; DELETE FROM migration WHERE version > 1",
  );
  database.close();

  const after = sqliteInbox(path);
  await after.open();
  onTestFinished(() => after.close());
  expect(await after.list({})).toEqual(entries);
  expect(await after.attempts(1)).toEqual([RECORD]);
  const { seq } = await keep(after, numberedEntry(2));
  const failure = { name: "TypeError", at: "src/handlers.ts:3:7", stack: "TypeError: no" };
  const noted: AttemptRecord = { ...RECORD, note: "200 OK", outcome: "error", error: "no", failure };
  await after.settle(settlementOf(await claimOne(after), { records: [noted] }), AT);
  expect(await after.attempts(seq)).toEqual([noted]);
});
