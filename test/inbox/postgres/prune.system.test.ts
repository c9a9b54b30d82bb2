import { expect, it, onTestFinished, vi } from "vitest";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { AT, claimOne, keep, numberedEntry, settlementOf } from "../entries.ts";
import { answering, type Instead } from "./answering.ts";
import { pgliteInboxes } from "./pglite.ts";

const SCHEMA = "pruned";
const { database, empty } = await pgliteInboxes(SCHEMA);

const LATER = AT + 1e9;
const PRUNE = { states: ["handled"], receivedUntil: LATER, datedUntil: LATER } as const;
const FIRST = { cursor: undefined, limit: 200 };

/**
 * An inbox with two done entries, of which the newest stays; and what it asks the database from
 * then on.
 */
async function withDone(instead?: Instead) {
  await empty();
  const { on, asked, askedFor } = answering(database, instead);
  const inbox = postgresStore(on, { schema: SCHEMA });
  await inbox.open();
  onTestFinished(() => inbox.close());
  for (const number of [1, 2]) {
    await keep(inbox, numberedEntry(number));
    await inbox.settle(settlementOf(await claimOne(inbox)), AT);
  }
  asked.length = 0;
  const left = async () => (await inbox.list({})).length;
  return { inbox, asked, askedFor, left };
}

it("entries are deleted once all processes that were keeping others when the marks were raised have ended, and no later ones", async () => {
  const looks = [["1/1", "2/2"], ["2/2", "3/3"], ["2/2"], ["3/3"]];
  const { inbox, askedFor, left } = await withDone((text) =>
    text.includes("pg_locks") ? looks.shift()?.map((writer) => ({ writer })) : undefined,
  );
  expect(await inbox.prune(PRUNE, FIRST)).toMatchObject({ changed: 1 });
  expect(looks).toEqual([]);
  expect(askedFor("pg_locks")).toBe(4);
  expect(await left()).toBe(1);
});

it("one that keeps entries for more than half a minute is no longer waited for", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { inbox, askedFor, left } = await withDone((text) => {
    if (!text.includes("pg_locks")) return undefined;
    vi.advanceTimersByTime(10_000);
    return [{ writer: "1/1" }];
  });
  await expect(inbox.prune(PRUNE, FIRST)).rejects.toMatchObject({ code: "inbox_busy" });
  expect(askedFor("pg_locks")).toBe(5); // at 0, 10, 20, 30 and 40 seconds
  expect(await left()).toBe(2);
});

it("one process prunes at a time: each waits for its turn", async () => {
  const { inbox, askedFor, left } = await withDone();
  expect(await inbox.prune(PRUNE, FIRST)).toMatchObject({ changed: 1 });
  expect(askedFor("pg_advisory_xact_lock(pg_catalog.hashtext(")).toBe(1);
  expect(await left()).toBe(1);
});
