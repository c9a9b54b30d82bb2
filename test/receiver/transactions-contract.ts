import { setTimeout as delay } from "node:timers/promises";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import {
  createReceiver,
  type PostgresTransaction,
  type Receiver,
  type ReceiverOptions,
} from "../../src/entries/index.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { deliveryOf, freshEnvelope, keptLog, SECRET, until } from "./sample.ts";

/** A database with an inbox, and the table `effect (event text, handler text)` beside it. */
export interface TransactionsUnderTest {
  /** The inbox's schema, of which nothing is left over. */
  readonly schema: string;
  readonly makeInbox: () => Inbox;
  /** Runs a statement outside of any transaction. */
  readonly query: (text: string) => Promise<readonly unknown[]>;
}

/** A new event. */
const anEvent = () =>
  deliveryOf(freshEnvelope({ timestamp: new Date().toISOString() }), undefined, Date.now());

/** Writes an effect. */
const write = (tx: PostgresTransaction, event: string, handler: string) =>
  tx.query("INSERT INTO effect (event, handler) VALUES ($1, $2)", [event, handler]);

/** What handlers with `tx` can rely on, with each way in which their transactions are made. */
export function describeTransactions(
  name: string,
  setUp: () => Promise<TransactionsUnderTest>,
): void {
  describe(`handlers with tx, ${name},`, () => {
    let database: TransactionsUnderTest;

    beforeEach(async () => {
      database = await setUp();
      await database.query("DELETE FROM effect");
    });

    const open = async (
      register: (receiver: Receiver) => void,
      options: Partial<ReceiverOptions> = {},
    ) => {
      const { log, lines } = keptLog();
      const receiver = createReceiver({
        secret: SECRET,
        inbox: handleOf(database.makeInbox()),
        log,
        poll: 20,
        drainTimeout: 50,
        retry: { attempts: 3, delay: 10, factor: 1, maxDelay: 10, jitter: 0 },
        ...(options as object),
      });
      register(receiver);
      await receiver.start();
      onTestFinished(() => receiver.close());
      const accept = async () => {
        const outcome = await receiver.accept(anEvent());
        if (outcome.type !== "accepted")
          throw new Error(`expected an accepted event, got ${outcome.type}`);
        return outcome.seq;
      };
      const entry = async (seq: number) => (await inboxOf(receiver).list({ seq }))[0];
      const untilEnded = (seq: number) =>
        until(async () => expect((await entry(seq))?.state).toMatch(/handled|dead/));
      return { receiver, lines, accept, entry, untilEnded };
    };
    const effects = async () =>
      (await database.query("SELECT handler FROM effect ORDER BY handler")).map(
        (row) => (row as { handler: string }).handler,
      );

    it("commit their writes together with the end of the entry", async () => {
      const { receiver, accept, entry, untilEnded } = await open((on) =>
        on.on(
          "payment.received",
          async (event, { tx, note }) => {
            const { rowCount } = await write(tx, event.id, "a");
            const { rows } = await tx.query<{ n: number }>("SELECT count(*)::int AS n FROM effect");
            note(`${rowCount} ${rows[0]?.n}`);
          },
          { tx: true },
        ),
      );
      const seq = await accept();
      await untilEnded(seq);
      expect(await entry(seq)).toMatchObject({
        state: "handled",
        attempts: 1,
        finishedHandlers: ["payment.received"],
      });
      expect(await inboxOf(receiver).attempts(seq)).toMatchObject([
        { handler: "payment.received", outcome: "ok", note: "1 1" },
      ]);
      expect(await effects()).toEqual(["a"]);
    });

    it("leave nothing behind when they throw, and run again", async () => {
      const { receiver, accept, untilEnded } = await open((on) =>
        on.on(
          "*",
          async (event, { tx, attempt }) => {
            await write(tx, event.id, `attempt ${attempt}`);
            if (attempt === 1) throw new Error("not yet");
          },
          { tx: true },
        ),
      );
      const seq = await accept();
      await untilEnded(seq);
      expect(await inboxOf(receiver).attempts(seq)).toMatchObject([
        { attempt: 1, outcome: "error", error: "not yet" },
        { attempt: 2, outcome: "ok" },
      ]);
      expect(await effects()).toEqual(["attempt 2"]);
    });

    it("are each recorded by their own commit, beside plain handlers and failing ones", async () => {
      const ran: string[] = [];
      const { receiver, accept, entry, untilEnded } = await open((on) => {
        on.on("*", () => void ran.push("plain"), { name: "plain" });
        for (const name of ["first", "failing", "last"]) {
          on.on(
            "*",
            async (event, { tx, attempt }) => {
              ran.push(name);
              await write(tx, event.id, name);
              if (name === "failing" && attempt < 3) throw new Error("not yet");
            },
            { tx: true, name },
          );
        }
      });
      const seq = await accept();
      await untilEnded(seq);
      expect(ran).toEqual(["plain", "first", "failing", "last", "failing", "failing"]);
      expect(await effects()).toEqual(["failing", "first", "last"]);
      expect(await entry(seq)).toMatchObject({
        state: "handled",
        finishedHandlers: ["plain", "first", "last", "failing"],
      });
      const records = (await inboxOf(receiver).attempts(seq)).map(
        ({ handler, attempt, outcome }) => `${attempt} ${handler} ${outcome}`,
      );
      expect(records).toEqual([
        "1 plain ok",
        "1 first ok",
        "1 failing error",
        "1 last ok",
        "2 failing error",
        "3 failing ok",
      ]);
    });

    it("report every run once to observers, and dead letters to their listeners", async () => {
      const letters: string[] = [];
      const { receiver, accept, untilEnded } = await open((on) => {
        on.on("*", (event, { tx }) => write(tx, event.id, "kept"), { tx: true, name: "kept" });
        on.on("*", () => Promise.reject(new Error("never")), { tx: true, name: "never" });
        on.onDead(({ error }) => void letters.push(String(error)));
      });
      const seen: string[] = [];
      receiver.observe((observation) => {
        if (observation.type === "attempt")
          seen.push(
            observation.records.map(({ handler, outcome }) => `${handler} ${outcome}`).join(", "),
          );
      });
      await untilEnded(await accept());
      await until(() => expect(letters).toEqual(["never"]));
      expect(seen).toEqual(["kept ok, never error", "never error", "never error"]);
      expect(await effects()).toEqual(["kept"]);
    });

    it("write nothing if the lease was lost", async () => {
      const { accept, untilEnded, lines } = await open(
        (on) =>
          on.on(
            "*",
            async (event, { tx, attempt }) => {
              await write(tx, event.id, `attempt ${attempt}`);
              // As if another process had taken it: rolled back with the rest.
              if (attempt === 1)
                await tx.query(`UPDATE ${database.schema}.turn SET lease = 'another'`);
            },
            { tx: true },
          ),
        { lease: 200 },
      );
      await untilEnded(await accept());
      expect(await effects()).toEqual(["attempt 2"]);
      expect(lines.filter(({ level }) => level === "warn")).toHaveLength(1);
    });

    it("are refused every statement after their time is over, and write nothing", async () => {
      const late: unknown[] = [];
      const { receiver, accept, untilEnded } = await open(
        (on) =>
          on.on(
            "*",
            async (event, { tx, attempt, signal }) => {
              await write(tx, event.id, `attempt ${attempt}`);
              if (attempt > 1) return;
              await new Promise((resolve) => signal.addEventListener("abort", resolve));
              await delay(1);
              late.push(
                await Promise.resolve(tx)
                  .then((transaction) => write(transaction, event.id, "late"))
                  .catch((error) => error.code),
              );
            },
            { tx: true },
          ),
        { handlerTimeout: 150 },
      );
      const seq = await accept();
      await untilEnded(seq);
      await until(() => expect(late).toEqual(["tx_ended"]));
      expect(await effects()).toEqual(["attempt 2"]);
      expect(await inboxOf(receiver).attempts(seq)).toMatchObject([
        { outcome: "timeout" },
        { outcome: "ok" },
      ]);
    });

    it("are rolled back by a shutdown that no longer waits for them, and their entry is due again", async () => {
      let began = () => {};
      const beginning = new Promise<void>((resolve) => {
        began = resolve;
      });
      const { receiver, accept } = await open((on) =>
        on.on(
          "*",
          async (event, { tx }) => {
            await write(tx, event.id, "stopped");
            began();
            await new Promise(() => {});
          },
          { tx: true },
        ),
      );
      const seq = await accept();
      await beginning;
      // a claim, which waits for the handler if there is only one connection
      void receiver.runNow(seq + 1);
      await receiver.close();
      expect(await effects()).toEqual([]);
      const inbox = database.makeInbox();
      await inbox.open();
      onTestFinished(() => inbox.close());
      expect((await inbox.list({ seq }))[0]).toMatchObject({ state: "waiting", attempts: 0 });
    });

    it("fail if one of their statements failed, even if they caught its error", async () => {
      const { receiver, accept, untilEnded } = await open((on) =>
        on.on(
          "*",
          async (event, { tx, attempt }) => {
            await write(tx, event.id, `attempt ${attempt}`);
            if (attempt === 1) await tx.query("SELECT 1 / 0").catch(() => {});
          },
          { tx: true },
        ),
      );
      const seq = await accept();
      await untilEnded(seq);
      const [first] = await inboxOf(receiver).attempts(seq);
      expect(first).toMatchObject({
        outcome: "error",
        error: expect.stringContaining("SAVEPOINT"),
      });
      expect(await effects()).toEqual(["attempt 2"]);
    });

    it("run one after another for one order key", async () => {
      const order: string[] = [];
      let running = 0;
      const { accept, untilEnded } = await open(
        (on) =>
          on.on(
            "*",
            async (event, { tx, seq }) => {
              order.push(`${seq} ${++running}`);
              await write(tx, event.id, "one");
              running--;
            },
            { tx: true },
          ),
        { orderBy: () => "key" },
      );
      const seqs = [await accept(), await accept(), await accept()];
      for (const seq of seqs) await untilEnded(seq);
      expect(order).toEqual(seqs.map((seq) => `${seq} 1`));
    });

    it("can be run now", async () => {
      const { receiver, accept, entry } = await open(
        (on) =>
          on.on(
            "*",
            (event, { tx, attempt }) =>
              attempt === 1 ? Promise.reject(new Error("no")) : write(tx, event.id, "now"),
            { tx: true },
          ),
        { retry: { attempts: 3, delay: 60_000, factor: 1, maxDelay: 60_000, jitter: 0 } },
      );
      const seq = await accept();
      await until(async () =>
        expect(await entry(seq)).toMatchObject({ state: "failing", attempts: 1 }),
      );
      expect(await receiver.runNow(seq)).toMatchObject({
        state: "handled",
        records: [{ outcome: "ok", error: null }],
      });
      expect(await effects()).toEqual(["now"]);
    });
  });
}
