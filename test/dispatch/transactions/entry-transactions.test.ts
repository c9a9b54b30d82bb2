import { describe, expect, it } from "vitest";
import { runEntry } from "../../../src/dispatch/runs/run-entry.ts";
import type { RunOptions, RunParts } from "../../../src/dispatch/runs/run-options.ts";
import { EntryTransactions } from "../../../src/dispatch/transactions/entry-transactions.ts";
import { transactionPlaces } from "../../../src/dispatch/transactions/transaction-places.ts";
import type { Handler } from "../../../src/entries/index.ts";
import type { ClaimedEntry } from "../../../src/inbox/claim.ts";
import type { Inbox, InsideEnd, InsideResult, InsideTerms } from "../../../src/inbox/inbox.ts";
import { AT, sampleDelivery, sampleKey } from "../../inbox/entries.ts";
import { keptLog, QUICK, sampleEvent } from "../sample.ts";

const ENTRY: ClaimedEntry = {
  seq: 7,
  key: sampleKey(),
  kind: "payment.received",
  orderKey: null,
  runAt: AT,
  attempts: 1,
  finishedHandlers: [],
  lease: "lease-1",
  delivery: sampleDelivery(),
};

/**
 * Runs an entry with two handlers, or one, the first with a transaction; it ends as the inbox says.
 */
function start(
  inside: NonNullable<Inbox["inside"]>,
  places = transactionPlaces(1),
  canWait = false,
  isLeased = () => true,
  { others = true, handler = () => {} }: { others?: boolean; handler?: Handler } = {},
) {
  const ran: string[] = [];
  const clock = () => AT;
  const transactions = new EntryTransactions(
    ENTRY,
    { inbox: { inside }, places, clock, isLeased, yieldPlace: (waiting) => waiting },
    canWait,
  );
  const options: RunOptions & RunParts = {
    plan: () => ({
      run: [
        {
          name: "a",
          handler: (...given) => {
            ran.push("a");
            return handler(...given);
          },
          tx: true,
        },
        ...(others ? [{ name: "b", handler: () => void ran.push("b") }] : []),
      ],
      event: sampleEvent,
    }),
    transactions,
    retry: QUICK,
    handlerTimeout: 1000,
    clock,
    random: () => 0.5,
    log: keptLog(),
    signal: new AbortController().signal,
  };
  return { ran, transactions, settled: runEntry(ENTRY, options, options) };
}

/** Runs the handler, and returns how its transaction ended. */
const ending = (result: InsideResult) => async (work: (tx: unknown) => Promise<InsideEnd>) => {
  await work({});
  return result;
};

describe("a handler's transaction", () => {
  it("has the handler's time limit, and can ask whether the lease still holds", async () => {
    const given: InsideTerms[] = [];
    let holds = true;
    const inside: NonNullable<Inbox["inside"]> = (work, terms) => {
      given.push(terms);
      return ending("committed")(work);
    };
    await start(inside, transactionPlaces(1), false, () => holds).settled;
    const [terms] = given;
    expect([terms?.timeout, terms?.now(), terms?.isLeased()]).toEqual([1000, AT, true]);
    holds = false;
    expect(terms?.isLeased()).toBe(false);
  });

  it("whose commit is neither confirmed nor denied stores nothing more, and claims no success", async () => {
    const { ran, transactions, settled } = start(ending("unknown"));
    await expect(settled).rejects.toMatchObject({ code: "inbox_unavailable" });
    expect(ran).toEqual(["a"]);
    expect(transactions.end).toBeUndefined();
  });

  it("stores the end of the entry if its handler is the last, and leaves the rest if it is not", async () => {
    const { transactions, settled } = start(ending("committed"));
    const { records } = await settled;
    expect(transactions.end).toBeUndefined();
    expect(transactions.unstored(records).map(({ handler }) => handler)).toEqual(["b"]);
    const alone = start(ending("committed"), transactionPlaces(1), false, () => true, {
      others: false,
    });
    await alone.settled;
    expect(alone.transactions.end).toBe("stored");
  });

  it("gives its place back however it ends, with the time that it held it", async () => {
    const places = transactionPlaces(1);
    await start(ending("committed"), places).settled;
    await expect(start(ending("unknown"), places).settled).rejects.toThrow();
    expect([places.take(), places.take()]).toEqual([true, false]);
    places.dueAt(AT);
    // milliseconds after the one before, at this pace
    expect(places.dueAt(AT)).toBeLessThan(AT + 1500);
  });

  it.each<[string, Handler, InsideEnd, object]>([
    [
      "fails",
      () => Promise.reject(new Error("no")),
      "roll_back",
      { outcome: "error", error: "no" },
    ],
    ["does not end in time", () => new Promise(() => {}), "abandon", { outcome: "timeout" }],
  ])(
    "has no effect if its handler %s, and stores nothing of its own",
    async (_, handler, end, record) => {
      const asked: InsideEnd[] = [];
      const inside: NonNullable<Inbox["inside"]> = async (work) => {
        asked.push(await work({}));
        return "rolled_back";
      };
      const { transactions, settled } = start(inside, transactionPlaces(1), false, () => true, {
        handler,
      });
      const { records } = await settled;
      expect(asked).toEqual([end]);
      expect(records).toMatchObject([record, { handler: "b", outcome: "ok" }]);
      expect(transactions.unstored(records)).toBe(records);
    },
  );

  it("that cannot be begun or committed is a failure of its handler", async () => {
    const full = new Error("the disk is full");
    const uncommitted = start(async (work) => {
      await work({});
      throw full;
    });
    const failed = {
      handler: "a",
      attempt: 1,
      outcome: "error",
      error: "the disk is full",
      startedAt: AT,
    };
    expect((await uncommitted.settled).records[0]).toMatchObject(failed);
    const unbegun = start(async () => {
      throw full;
    });
    expect((await unbegun.settled).records[0]).toMatchObject({ ...failed, duration: 0 });
    expect([uncommitted.ran, unbegun.ran]).toEqual([["a", "b"], ["b"]]);
  });

  it("that still waits for a place when the receiver closes does not run, and its entry is due at once", async () => {
    const places = transactionPlaces(1);
    places.take();
    const { ran, settled } = start(ending("committed"), places, true);
    await new Promise((resolve) => setImmediate(resolve));
    places.close();
    expect(await settled).toMatchObject({
      state: "waiting",
      reason: null,
      runAt: AT,
      uncount: true,
    });
    expect(ran).toEqual([]);
  });

  it("that is refused since the lease was lost ends the run, and leaves nothing to store", async () => {
    const { ran, transactions, settled } = start(ending("refused"));
    await settled;
    expect(transactions.end).toBe("refused");
    expect(ran).toEqual(["a"]);
  });

  it("that finds too many waiting gives the entry back, before any handler has run and without counting", async () => {
    const places = transactionPlaces(1);
    expect(places.take()).toBe(true);
    const waiting = places.wait(new AbortController().signal);
    const { ran, settled } = start(ending("committed"), places);
    expect(await settled).toMatchObject({
      state: "waiting",
      reason: "tx_busy",
      runAt: AT + 1000,
      uncount: true,
      records: [],
      finishedHandlers: [],
    });
    expect(ran).toEqual([]);
    places.close();
    expect(await waiting).toBe(false);
  });

  it("waits for a place however many do, if it is run at once", async () => {
    const places = transactionPlaces(1);
    places.take();
    const first = places.wait(new AbortController().signal);
    const { ran, settled } = start(ending("committed"), places, true);
    await new Promise((resolve) => setImmediate(resolve));
    expect(ran).toEqual([]);
    places.leave(1);
    expect(await first).toBe(true);
    places.leave(1);
    expect(await settled).toMatchObject({ state: "handled", finishedHandlers: ["a", "b"] });
    expect(ran).toEqual(["a", "b"]);
  });
});
