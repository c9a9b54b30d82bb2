import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import type { Inbox } from "../../../src/inbox/inbox.ts";
import { loadSqlite } from "../../../src/inbox/sqlite/client.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { AT, keep, numberedEntry, sampleKey } from "../../inbox/entries.ts";
import { runCli, tempFolder } from "../fake-io.ts";
import { startReceiving } from "../fake-target.ts";

let cwd: string;
let inbox: Inbox;

beforeEach(async () => {
  cwd = tempFolder();
  inbox = sqliteInbox(join(cwd, "inbox.db"));
  await inbox.open();
  onTestFinished(() => inbox.close());
});

const add = (eventId: string) => keep(inbox, numberedEntry(0, 0, { key: sampleKey({ eventId }) }));
const env = { HOOKPORTER_SECRET: "a secret that is long enough" };
const cli = (...argv: readonly string[]) => runCli([...argv, "--inbox", "inbox.db"], { cwd, env });

it("an entry that is named twice is changed and counted once", async () => {
  await add("evt_1");
  expect((await cli("events", "retry", "1", "evt_1", "#1")).stdout).toBe("1 to be retried now\n");
  const { stdout, stderr } = await cli("events", "drop", "1", "evt_1");
  expect([stdout, stderr]).toEqual(["1 dropped\n", expect.not.stringContaining("skipped")]);
});

it("a number that no entry has is not taken for the beginning of an event id, and changes nothing", async () => {
  await add("77abc");
  const { code, stderr } = await cli("events", "drop", "77");
  expect([code, stderr]).toEqual([2, expect.stringContaining("no entry 77 in this inbox")]);
  expect(await inbox.counts()).toMatchObject({ waiting: 1 });
  await add("78");
  expect((await cli("events", "show", "78", "--json")).records).toMatchObject([
    { seq: 2, id: "78" },
  ]);
  await add("1234567890123456"); // which is listed as 123456789012 on a narrow terminal
  expect((await cli("events", "show", "123456789012", "--json")).records).toMatchObject([
    { seq: 3 },
  ]);
});

it("an empty reference, as of a shell's variable that is not set, names no entry", async () => {
  await add("evt_1");
  const { code, stderr } = await cli("events", "drop", "");
  expect([code, stderr]).toEqual([2, expect.stringContaining("no entry  in this inbox")]);
  expect(await inbox.counts()).toMatchObject({ waiting: 1 });
});

it("an event id is found among many newer ones that begin with it", async () => {
  await add("evt_1");
  for (let number = 100; number < 160; number++) await add(`evt_${number}`);
  expect((await cli("events", "show", "evt_1", "--json")).records).toMatchObject([{ seq: 1 }]);
  expect((await cli("events", "show", "evt_")).stderr).toContain("evt_ matches 50 entries");
  const body = JSON.stringify({ received: true, id: "evt_1", duplicate: false });
  const target = await startReceiving({ status: 200, body });
  await inbox.drop({ seq: 1 }, Date.now());
  const sent = await cli("trigger", "payment.received", "--url", target.url, "--wait", "--json");
  expect(sent.records.at(-1)).toMatchObject({ type: "outcome", seq: 1, state: "dead" });
});

it("--like says so if there are more failed entries than it compares", async () => {
  await keep(inbox, numberedEntry(1, 0, { state: "dead", reason: "attempts_exhausted" }));
  const database = new (loadSqlite().DatabaseSync)(join(cwd, "inbox.db"));
  const columns =
    "source, kind, received_at, last_seen_at, run_at, body_length, body_hash, state, reason, settled_at";
  database.exec(`WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 4001)
    INSERT INTO entry (seq, key_timestamp, event_id, ${columns}) SELECT i, i, 'evt', ${columns} FROM entry, n WHERE seq = 1`);
  database.close();
  const { stdout, stderr } = await cli("events", "retry", "--like", "4001", "--dry-run");
  expect(stdout).toContain("4000 entries would be retried, #2 to #4001");
  expect(stderr).toContain("--like compared the newest 4000 failed entries");
  await inbox.drop({ seq: 1 }, Date.now());
  await inbox.prune({ states: ["dead"], receivedUntil: AT, datedUntil: AT }, { limit: 1 });
  expect((await cli("events", "retry", "--like", "4001", "--dry-run")).stderr).toBe("");
});
