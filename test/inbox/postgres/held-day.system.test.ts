import { describe, expect, it } from "vitest";
import { pruneInbox } from "../../../src/inbox/prune.ts";
import { keep, sampleDelivery, sampleEntry, sampleKey, settlementOf } from "../entries.ts";
import { openServer } from "./schemas.ts";
import { NO_SERVER } from "./server.ts";

const DAY = 86_400_000;
const TODAY = Math.floor(Date.now() / DAY) * DAY;

/** An entry of an event at a time, received then. */
const entryAt = (at: number, eventId: string) =>
  sampleEntry({
    key: sampleKey({ eventId, timestamp: at }),
    eventTimestamp: at,
    delivery: sampleDelivery({ receivedAt: at }),
  });

describe("a day whose tables another session holds", async () => {
  if (NO_SERVER !== undefined) {
    it.skip(NO_SERVER, () => {});
    return;
  }
  const { admin, newSchema, open } = await openServer();

  it("is dropped once they are free, and meanwhile no delivery waits for long or is lost", async () => {
    const schema = newSchema();
    const inbox = await open(schema);
    const receiving = await open(schema);
    for (const number of [1, 2, 3]) {
      const { seq } = await keep(inbox, entryAt(TODAY + number, `old_${number}`));
      const [entry] = await inbox.claim({ now: TODAY + DAY, limit: 1, leaseTime: 1000, only: seq });
      if (entry === undefined) throw new Error("expected an entry");
      await inbox.settle(settlementOf(entry), TODAY + number);
    }
    const days = async () =>
      (await admin.query(`SELECT count(*)::int AS n FROM ${schema}.day`)).rows[0]?.n as number;
    const before = await days();
    /** Resolves once the day's function waits for a lock, or no longer does. */
    const whileDropping = async (isWaiting: boolean) => {
      for (;;) {
        const { rows } = await admin.query(
          "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1",
          [`%"${schema}".drop_day(%`],
        );
        if (rows.length > 0 === isWaiting) return;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };

    // As pg_dump or a long query would hold it: writers need not wait for this lock, only for who
    // waits for it.
    const holder = await admin.connect();
    await holder.query(`BEGIN; LOCK TABLE ${schema}.delivery IN ACCESS SHARE MODE`);
    const heldSince = performance.now();
    const until = TODAY + DAY - 1;
    const prune = { states: ["handled"], receivedUntil: until, datedUntil: until } as const;
    const terms = { ...prune, sources: ["service"], wholeDays: true };
    let isOver = false;
    const pruning = pruneInbox(inbox, { prune: terms }).finally(() => {
      isOver = true;
    });
    let longest = 0;
    const kept: string[] = [];
    const receive = async () => {
      while (!isOver) {
        const id = `new_${kept.length}`;
        const start = performance.now();
        await keep(receiving, entryAt(TODAY + DAY + kept.length, id));
        longest = Math.max(longest, performance.now() - start);
        kept.push(id);
      }
    };
    const receivingAll = receive();
    for (const isWaiting of [true, false, true, false]) await whileDropping(isWaiting);
    expect(await days()).toBe(before);
    const heldMs = performance.now() - heldSince;
    await holder.query("ROLLBACK");
    holder.release();

    // On a busy machine the tries may all have been over before the release was seen; then it is
    // dropped next time.
    const { pruned } = await pruning;
    await receivingAll;
    if (pruned === 0)
      expect(await pruneInbox(inbox, { prune: terms })).toMatchObject({ pruned: 3 });
    else expect(pruned).toBe(3);
    expect(await days()).toBe(before - 1);
    expect(longest).toBeLessThan(heldMs / 2);
    expect((await inbox.list({})).map(({ key }) => key.eventId)).toEqual(kept);
  });
});
