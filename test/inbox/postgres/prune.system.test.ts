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

const busy = () =>
  Object.assign(new Error("canceling statement due to lock timeout"), { code: "55P03" });

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

it("a receiver leaves pruning to another process that does it now; an operator's waits for its turn", async () => {
  const { inbox, askedFor, left } = await withDone((text) => {
    if (text.includes("AS may")) return [{ may: false }];
    return text.includes("drop_day") ? [{ dropped: -1 }] : undefined;
  });
  const day = 86_400_000;
  const terms = { ...PRUNE, receivedUntil: AT + 2 * day, datedUntil: AT + 2 * day };
  expect(await inbox.prune({ ...terms, wholeDays: true }, FIRST)).toEqual({
    changed: 0,
    next: undefined,
  });
  expect(askedFor("pg_try_advisory_xact_lock(")).toBe(1);
  await inbox.prune(terms, FIRST);
  expect(askedFor("pg_advisory_xact_lock(hashtext(")).toBe(1);
  expect(await left()).toBe(2);
});

it("a day whose locks others hold is asked for four times, the next from zero, and otherwise dropped next time", async () => {
  vi.spyOn(Math, "random").mockReturnValue(-0.5); // no pause in between
  onTestFinished(() => void vi.restoreAllMocks());
  const answers = ["busy", "busy", "busy", 2, "busy", "busy", "busy", 3, -1];
  const { inbox, askedFor } = await withDone((text) => {
    if (!text.includes("drop_day")) return undefined;
    const answer = answers.shift() ?? "busy";
    if (answer === "busy") throw busy();
    return [{ dropped: answer }];
  });
  expect(await inbox.prune(PRUNE, FIRST)).toMatchObject({ changed: 6 });
  expect(askedFor("drop_day")).toBe(9);
  expect(await inbox.prune(PRUNE, FIRST)).toMatchObject({ changed: 0 });
  expect(askedFor("drop_day")).toBe(13);
});

it("another failure to drop a day ends the step", async () => {
  const { inbox, askedFor } = await withDone((text) => {
    if (text.includes("drop_day")) throw Object.assign(new Error("no"), { code: "42501" });
    return undefined;
  });
  await expect(inbox.prune(PRUNE, FIRST)).rejects.toMatchObject({ code: "inbox_unavailable" });
  expect(askedFor("drop_day")).toBe(1);
});
