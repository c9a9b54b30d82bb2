import { describe, expect, it } from "vitest";
import type { NewEntry } from "../../../src/inbox/append.ts";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { pruneInbox } from "../../../src/inbox/prune.ts";
import { describeConcurrent } from "../concurrent-contract.ts";
import {
  AT,
  keep,
  numberedEntry,
  sampleDelivery,
  sampleEntry,
  sampleKey,
  settlementOf,
} from "../entries.ts";
import { openServer } from "./schemas.ts";
import { NO_SERVER } from "./server.ts";

const EVERYTHING = {
  states: ["handled", "dead", "received"],
  receivedUntil: AT + 1e9,
  datedUntil: AT + 1e9,
} as const;

const DAY = 86_400_000;

/** An entry of an event at a time, received then. */
const entryAt = (at: number, eventId: string) =>
  sampleEntry({
    key: sampleKey({ eventId, timestamp: at }),
    eventTimestamp: at,
    delivery: sampleDelivery({ receivedAt: at }),
  });

describe("several clients of one inbox on PostgreSQL", async () => {
  if (NO_SERVER !== undefined) {
    it.skip(NO_SERVER, () => {});
    return;
  }
  const { server, admin, newSchema, open, waitForBlocked, deadlocks } = await openServer();
  const openTwo = async () => {
    const schema = newSchema();
    return { schema, a: await open(schema), b: await open(schema) };
  };

  describeConcurrent("two clients of an inbox on PostgreSQL", {
    openTwo: async () => {
      const schema = newSchema();
      return [await open(schema), await open(schema)];
    },
    makeTwo: ([number, two]) => {
      const schema = newSchema();
      const make = (offset: number) =>
        postgresStore(server.url, { schema, clock: () => Date.now() + offset });
      return [make(number), make(two)];
    },
    deadlocks,
  });

  it("make its schema once, if all of them start at the same moment", async () => {
    const schema = newSchema();
    const inboxes = await Promise.all(Array.from({ length: 10 }, () => open(schema)));
    for (const [number, inbox] of inboxes.entries()) await keep(inbox, numberedEntry(number));
    expect(await inboxes[0]?.counts()).toMatchObject({ waiting: 10 });
  });

  it("number the entries of one order key in the order in which they become visible", async () => {
    const { a, b, schema } = await openTwo();
    const slow = await admin.connect();
    // the next writer waits in the middle
    await slow.query(`BEGIN; LOCK TABLE ${schema}.delivery IN SHARE MODE`);
    const first = keep(a, numberedEntry(1, 0, { orderKey: "k" }));
    await waitForBlocked(1);
    const second = keep(b, numberedEntry(2, 0, { orderKey: "k" }));
    await waitForBlocked(2);
    await slow.query("COMMIT");
    slow.release();
    expect((await first).seq).toBeLessThan((await second).seq);
    const ids = (await a.claim({ now: AT, limit: 5, leaseTime: 1000 })).map(
      ({ key }) => key.eventId,
    );
    expect(ids).toEqual(["evt_1"]);
  });

  /**
   * An inbox with an event that is done, another one after it, and a session that holds what others
   * wait for.
   */
  const withDoneEntry = async () => {
    const { a, b, schema } = await openTwo();
    await keep(a, numberedEntry(1));
    for (const entry of await a.claim({ now: AT, limit: 1, leaseTime: 1000 }))
      await a.settle(settlementOf(entry), AT);
    await keep(a, numberedEntry(1)); // counted as repeated
    await keep(a, numberedEntry(2)); // the newest entry stays
    const slow = await admin.connect();
    await slow.query("BEGIN");
    const release = async (end: "COMMIT" | "ROLLBACK") => {
      await slow.query(end);
      slow.release();
    };
    return { a, b, schema, slow, release };
  };

  it("do not take an event for new that is being pruned", async () => {
    const { a, b, schema, slow, release } = await withDoneEntry();
    await slow.query(`SELECT 1 FROM ${schema}.repeat FOR UPDATE`);
    const pruning = a.prune(EVERYTHING, { limit: 10 });
    await waitForBlocked(1);
    const again = b.append(numberedEntry(1));
    await waitForBlocked(2);
    await release("COMMIT");
    expect(await pruning).toMatchObject({ changed: 1 });
    expect((await again)?.duplicate).not.toBe(false);
  });

  it("do not take an event for new that is pruned after the marks were read", async () => {
    const { a, b, schema, slow, release } = await withDoneEntry();
    const columns = "seq, key_timestamp, event_id, source, received_at, body_hash, body_length";
    await slow.query(
      `INSERT INTO ${schema}.entry (${columns}) VALUES (0, ${AT - 5000}, 'evt_0', 'service', 0, '', 0)`,
    );
    const key = { source: "service", eventId: "evt_0", timestamp: AT - 5000 };
    const first = b.append(numberedEntry(0, 0, { key })); // has read the marks, and waits
    const again = b.append(numberedEntry(1)); // in the same batch
    await waitForBlocked(1);
    const pruning = a.prune(EVERYTHING, { limit: 10 });
    const marks = async () => (await admin.query(`SELECT marks FROM ${schema}.pruned`)).rows;
    await expect.poll(marks).not.toEqual([{ marks: {} }]);
    await release("ROLLBACK");
    expect(await pruning).toMatchObject({ changed: 1 });
    expect(await first).toMatchObject({ duplicate: false });
    expect((await again)?.duplicate).not.toBe(false);
  });

  it.each(["read committed", "repeatable read"])(
    "see the marks that were raised while they waited for the tables, with a default of %s",
    async (isolation) => {
      const { schema, slow, release } = await withDoneEntry();
      const options = encodeURIComponent(
        `-c default_transaction_isolation=${isolation.replace(" ", "\\ ")}`,
      );
      const b = await open(schema, {}, `${server.url}?options=${options}`);
      await slow.query(`LOCK TABLE ${schema}.entry`);
      const again = b.append(numberedEntry(1));
      await waitForBlocked(1);
      await slow.query(
        `UPDATE ${schema}.pruned SET marks = '{"service": ${AT}}'; DELETE FROM ${schema}.entry`,
      );
      await release("COMMIT");
      expect(await again).toBeUndefined();
    },
  );

  it("use up no ids of rows with several lockers, of which a database has few", async () => {
    const { a, b } = await openTwo();
    const next = async () => {
      await admin.query("CHECKPOINT");
      return (await admin.query("SELECT next_multixact_id AS next FROM pg_control_checkpoint()"))
        .rows[0].next;
    };
    const before = await next();
    for (let round = 0; round < 20; round++)
      await Promise.all(
        [a, b, a, b].map((inbox, index) => keep(inbox, numberedEntry(4 * round + index))),
      );
    expect(await next()).toBe(before);
  });

  it("do not forget an entry that arrives while the one before it ends", async () => {
    const { a, b, schema } = await openTwo();
    const ordered = { orderKey: "k" };
    await keep(a, numberedEntry(1, 0, ordered));
    const [first] = await a.claim({ now: AT, limit: 1, leaseTime: 1000 });
    if (first === undefined) throw new Error("expected an entry");
    const slow = await admin.connect();
    const columns = "key_timestamp, event_id, source, received_at, body_hash, body_length";
    await slow.query("BEGIN");
    await slow.query(
      `INSERT INTO ${schema}.entry (seq, ${columns}) VALUES (0, ${AT - 5000}, 'evt_2', 'service', 0, '', 0)`,
    );
    const second = keep(b, numberedEntry(2, 0, ordered)); // has seen the first, and waits
    await waitForBlocked(1);
    const settled = a.settle(settlementOf(first), AT);
    await Promise.race([settled, waitForBlocked(2)]);
    await slow.query("ROLLBACK");
    slow.release();
    expect(await settled).toBe(true);
    const { seq } = await second;
    expect(await a.claim({ now: AT, limit: 1, leaseTime: 1000 })).toMatchObject([{ seq }]);
  });

  it("report a lost connection, keep what was acknowledged, and go on without help", async () => {
    const { a, schema } = await openTwo();
    const acknowledged: string[] = [];
    const codes = new Set<unknown>();
    let terminating: Promise<unknown> = Promise.resolve();
    for (let number = 0; number < 400; number++) {
      if (number % 20 === 10) {
        const sql =
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE $1 AND pid <> pg_backend_pid()";
        terminating = admin.query(sql, [`%${schema}%`]); // in the middle of what follows
      }
      await keep(a, numberedEntry(number, 0, { orderKey: number % 2 === 0 ? "k" : null })).then(
        () => acknowledged.push(`evt_${number}`),
        (error) => codes.add(error.code),
      );
    }
    await terminating;
    expect(acknowledged.length).toBeGreaterThan(200);
    expect([...codes].filter((code) => code !== "inbox_unreachable")).toEqual([]);
    const kept = new Set((await a.list({})).map(({ key }) => key.eventId));
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
  });

  it("prune while others receive: no delivery waits for long, is lost or is taken for new", async () => {
    const schema = newSchema();
    const inbox = await open(schema);
    const receiving = await open(schema);
    const old = Array.from({ length: 2000 }, (_, number) => entryAt(AT + number, `old_${number}`));
    await Promise.all(old.map((entry) => keep(inbox, entry)));
    for (;;) {
      const claimed = await inbox.claim({ now: AT + DAY, limit: 500, leaseTime: 1000 });
      if (claimed.length === 0) break;
      await Promise.all(claimed.map((entry) => inbox.settle(settlementOf(entry), AT)));
    }
    const until = AT + DAY - 1;
    const prune = { states: ["handled"], receivedUntil: until, datedUntil: until } as const;
    let isOver = false;
    const kept: string[] = [];
    const receive = async () => {
      while (!isOver) {
        const id = `new_${kept.length}`;
        await keep(receiving, entryAt(AT + DAY + kept.length, id));
        kept.push(id);
      }
    };
    const received = receive();
    const { pruned } = await pruneInbox(inbox, { prune });
    isOver = true;
    await received;
    expect(pruned).toBe(2000);
    expect(kept.length).toBeGreaterThan(10); // it did not wait for the pruning
    expect((await inbox.list({})).map(({ key }) => key.eventId)).toEqual(kept);
    expect(await receiving.append(old[0] as NewEntry)).toBeUndefined();
  });
});
