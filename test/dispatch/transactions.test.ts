import { describe, expect, it, vi } from "vitest";
import type { NamedHandler } from "../../src/dispatch/plan/handler.ts";
import type { ReceiverOptions } from "../../src/entries/index.ts";
import type { Inbox, InsideEnd, InsideResult, InsideTerms } from "../../src/inbox/inbox.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { gate, until } from "../receiver/sample.ts";
import { openRuns, QUICK, sharedInbox } from "./open.ts";

/** An inbox with this many connections for handlers, whose transactions always commit. */
function insideInbox(insideLimit: number, inside?: Inbox["inside"]) {
  const inbox = sharedInbox(memoryInbox((run) => run({} as never)));
  return Object.assign(inbox, { insideLimit }, inside && { inside });
}

/** Starts a receiver with a handler with a transaction, and others after it. */
function open(
  inbox: Inbox,
  handler: NamedHandler["handler"],
  options: Partial<ReceiverOptions> = {},
  others: readonly NamedHandler[] = [],
) {
  return openRuns([{ name: "a", handler, tx: true }, ...others], options, inbox);
}

const ran = (name: string, log: string[]): NamedHandler => ({
  name,
  handler: () => void log.push(name),
});

/** Runs the handler, and returns how its transaction ended. */
const ending =
  (result: InsideResult, ends: InsideEnd[] = []) =>
  async (work: (tx: unknown) => Promise<InsideEnd>) => {
    ends.push(await work({}));
    return result;
  };

describe("a handler's transaction", () => {
  it("takes a place, and gives it back however it ends", async () => {
    let now = 0;
    let most = 0;
    const a = async (event: { readonly data: { readonly number: number } }) => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setTimeout(resolve, 1));
      now--;
      if (event.data.number % 2 === 0) throw new Error("no");
    };
    const { deliver, states } = await open(insideInbox(2), a, { retry: { attempts: 1 } });
    for (let number = 1; number <= 8; number++) await deliver(number);
    await until(async () => {
      expect((await states()).sort()).toEqual([
        ...Array(4).fill("dead"),
        ...Array(4).fill("handled"),
      ]);
    });
    expect(most).toBe(2);
  });

  it("stores the end of the entry if its handler is the last, and progress if it is not", async () => {
    const log: string[] = [];
    const inbox = insideInbox(1);
    const ends: unknown[] = [];
    const inside = inbox.inside.bind(inbox);
    inbox.inside = (work, terms) =>
      inside(async (tx) => {
        const end = await work(tx);
        ends.push(typeof end === "string" ? end : end.state);
        return end;
      }, terms);
    const settle = vi.spyOn(inbox, "settle");
    const { deliver, untilState, attempts } = await open(inbox, () => {}, {}, [ran("b", log)]);
    await deliver(1);
    await untilState("handled");
    expect([ends, log]).toEqual([["running"], ["b"]]);
    // The first handler's record was stored with its transaction.
    expect(settle.mock.calls[0]?.[0].records).toMatchObject([{ handler: "b" }]);
    await until(() =>
      expect(attempts()).toMatchObject([{ records: [{ handler: "a" }, { handler: "b" }] }]),
    );
    const alone = insideInbox(1);
    const only = await open(alone, () => {});
    const settlingAlone = vi.spyOn(alone, "settle");
    await only.deliver(1);
    await only.untilState("handled");
    expect(settlingAlone).toHaveBeenCalledTimes(1); // by the transaction of the test's inbox
  });

  it("has the handler's time limit, and can ask whether the lease still holds", async () => {
    const given: InsideTerms[] = [];
    const held: boolean[] = [];
    const inside: Inbox["inside"] = async (work, terms) => {
      given.push(terms);
      held.push(terms.isLeased());
      now += 10_000;
      held.push(terms.isLeased());
      return ending("rolled_back")(work);
    };
    let now = Date.now() + 1000;
    const options = { handlerTimeout: 1234, lease: 5000, clock: () => now };
    const { deliver, receiver } = await open(insideInbox(1, inside), () => {}, options);
    await deliver(1);
    await until(() => expect(held.slice(0, 2)).toEqual([true, false]));
    expect(given[0]).toMatchObject({ timeout: 1234 });
    await receiver.close();
  });

  it.each<[string, InsideResult, string]>([
    ["neither confirmed nor denied", "unknown", "error"],
    ["refused since the lease was lost", "refused", "warn"],
  ])("whose commit is %s claims no success, and stores nothing more", async (_, result, level) => {
    const log: string[] = [];
    const inbox = insideInbox(1, ending(result));
    const settle = vi.spyOn(inbox, "settle");
    const { deliver, states, lines, attempts } = await open(inbox, () => {}, {}, [ran("b", log)]);
    await deliver(1);
    // after the line that says how few places there are
    await until(() => expect(lines[1]).toMatchObject({ level, fields: { seq: 1 } }));
    expect([log, await states(), attempts()]).toEqual([[], ["running"], []]);
    expect(settle).not.toHaveBeenCalled();
  });

  it.each<[string, () => unknown, InsideEnd, object]>([
    [
      "fails",
      () => Promise.reject(new Error("no")),
      "roll_back",
      { outcome: "error", error: "no" },
    ],
    ["does not end in time", () => new Promise(() => {}), "abandon", { outcome: "timeout" }],
  ])("has no effect if its handler %s", async (_, handler, end, record) => {
    const ends: InsideEnd[] = [];
    const log: string[] = [];
    const inbox = insideInbox(1, ending("rolled_back", ends));
    const options = { retry: { attempts: 1 }, handlerTimeout: 50 };
    const { deliver, untilState } = await open(inbox, handler, options, [ran("b", log)]);
    await deliver(1);
    await untilState("dead");
    expect([ends, log]).toEqual([[end], ["b"]]);
    expect(await inbox.attempts(1)).toMatchObject([record, { handler: "b", outcome: "ok" }]);
  });

  it.each([
    ["begun", false],
    ["committed", true],
  ])("that cannot be %s is a failure of its handler", async (_, begins) => {
    const log: string[] = [];
    const inbox = insideInbox(1, async (work) => {
      if (begins) await work({});
      throw new Error("the disk is full");
    });
    const a = () => void log.push("a");
    const { deliver, untilState } = await open(inbox, a, { retry: { attempts: 1 } });
    await deliver(1);
    await untilState("dead");
    expect(log).toEqual(begins ? ["a"] : []);
    expect(await inbox.attempts(1)).toMatchObject([
      { handler: "a", attempt: 1, outcome: "error", error: "the disk is full" },
    ]);
  });

  describe("while there is no place", () => {
    /** The first of the entries holds the only place, and the others wait. */
    const openFull = async (entries: number) => {
      const held = gate();
      const began: number[] = [];
      const now = Date.now() + 1000;
      const a = (event: { readonly data: { readonly number: number } }) => {
        began.push(event.data.number);
        return event.data.number === 1 ? held.opened : "ok";
      };
      const options = { retry: QUICK, clock: () => now };
      const opened = await open(insideInbox(1), a, options);
      await opened.deliver(1);
      await until(() => expect(began).toEqual([1]));
      for (let number = 2; number <= entries; number++) await opened.deliver(number);
      return { ...opened, held, began, now };
    };

    it("waits, or gives its entry back without counting if too many wait", async () => {
      const { entries, began, held, now } = await openFull(3);
      await until(async () =>
        expect(await entries()).toMatchObject([
          { state: "running" },
          { state: "running" },
          { state: "waiting", reason: "tx_busy", attempts: 0, runAt: now + 1000 },
        ]),
      );
      expect(began).toEqual([1]);
      held.open();
      await until(() => expect(began).toEqual([1, 2]));
    });

    it("waits however many do, if it is run at once", async () => {
      const { receiver, entries, began, held } = await openFull(3);
      await until(async () => expect((await entries())[2]).toMatchObject({ reason: "tx_busy" }));
      const asked = receiver.runNow(3);
      await until(async () => expect((await entries())[2]).toMatchObject({ state: "running" }));
      held.open();
      expect(await asked).toMatchObject({ state: "handled" });
      expect(began).toEqual([1, 2, 3]);
    });

    it("does not run when the receiver closes, and its entry is due at once", async () => {
      const { receiver, states, entries, began, now } = await openFull(2);
      await until(async () => expect(await states()).toEqual(["running", "running"]));
      await receiver.close();
      const due = { state: "waiting", reason: null, attempts: 0, runAt: now };
      expect(await entries()).toMatchObject([due, due]);
      expect(began).toEqual([1]);
    });
  });
});
