import { expect, it } from "vitest";
import { entriesAfter } from "../../../src/cli/events/follow.ts";
import { AT, keep, numberedEntry, sampleKey } from "../../inbox/entries.ts";
import { SECRET } from "../../receiver/sample.ts";
import { changeInbox } from "../doctor/place.ts";
import { startReceiving } from "../fake-target.ts";
import { inboxFolder } from "../inbox-folder.ts";

async function open() {
  const { inbox, cli, path } = await inboxFolder();
  const add = (eventId: string) =>
    keep(inbox, numberedEntry(0, 0, { key: sampleKey({ eventId }) }));
  const seqs = async (line: string) => (await cli(`${line} --json`)).records.map(({ seq }) => seq);
  const change = (sql: string) => changeInbox(path, sql);
  return { inbox, cli, add, seqs, change };
}

it("an entry that is named twice is changed and counted once", async () => {
  const { add, cli } = await open();
  await add("evt_1");
  expect((await cli("events retry 1 evt_1 #1")).stdout).toBe("1 to be retried now\n");
  const { stdout, stderr } = await cli("events drop 1 evt_1");
  expect([stdout, stderr]).toEqual(["1 dropped\n", expect.not.stringContaining("skipped")]);
});

it("a number that no entry has, and an empty text, name no entry, and change nothing", async () => {
  const { add, cli, inbox, seqs } = await open();
  await add("77abc");
  for (const given of ["77", ""]) {
    const { code, stderr } = await cli(`events drop ${given}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`no entry ${given} in this inbox`)]);
  }
  expect(await inbox.counts()).toMatchObject({ waiting: 1 });
  await add("78");
  expect(await seqs("events show 78")).toEqual([2]);
  await add("1234567890123456"); // which is listed as 123456789012 on a narrow terminal
  expect(await seqs("events show 123456789012")).toEqual([3]);
});

it("an event id is found among many newer ones that begin with it", async () => {
  const { add, cli, inbox, seqs } = await open();
  await add("evt_1");
  for (let number = 100; number < 160; number++) await add(`evt_${number}`);
  expect(await seqs("events show evt_1")).toEqual([1]);
  expect((await cli("events show evt_")).stderr).toContain("evt_ matches 50 entries");
  const body = JSON.stringify({ received: true, id: "evt_1", duplicate: false });
  const { url } = await startReceiving({ status: 200, body });
  await inbox.drop({ seq: 1 }, Date.now());
  const waiting = `trigger payment.received --url ${url} --wait --inbox .hookporter/inbox.db`;
  const sent = await cli(`${waiting} --json`, { env: { HOOKPORTER_SECRET: SECRET } });
  expect(sent.records.at(-1)).toMatchObject({ type: "outcome", seq: 1, state: "dead" });
});

it("--like says so if there are more failed entries than it compares", async () => {
  const { cli, inbox, change } = await open();
  await keep(inbox, numberedEntry(1, 0, { state: "dead", reason: "attempts_exhausted" }));
  const columns =
    "source, kind, received_at, last_seen_at, run_at, body_length, body_hash, state, reason, settled_at";
  change(`WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 4001)
    INSERT INTO entry (seq, key_timestamp, event_id, ${columns}) SELECT i, i, 'evt', ${columns} FROM entry, n WHERE seq = 1`);
  const { stdout, stderr } = await cli("events retry --like 4001 --dry-run");
  expect(stdout).toContain("4000 entries would be retried, #2 to #4001");
  expect(stderr).toContain("--like compared the newest 4000 failed entries");
  await inbox.drop({ seq: 1 }, Date.now());
  await inbox.prune({ states: ["dead"], receivedUntil: AT, datedUntil: AT }, { limit: 1 });
  expect((await cli("events retry --like 4001 --dry-run")).stderr).toBe("");
});

it("an entry after a gap in the numbers is followed at once if the clock was set back since it came", async () => {
  const { inbox, add, change } = await open();
  for (const id of ["evt_1", "evt_2"]) await add(id);
  change("DELETE FROM entry WHERE seq = 1");
  const signal = AbortSignal.timeout(20_000);
  const found = entriesAfter(inbox, {}, { after: 0, clock: () => AT - 3_600_000, signal });
  expect(await found.next()).toMatchObject({ value: { seq: 2 } });
});
