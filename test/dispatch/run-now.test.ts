import { describe, expect, it, vi } from "vitest";
import type { Handler, ReceiverOptions } from "../../src/entries/index.ts";
import { gate, until } from "../receiver/sample.ts";
import { openRuns, QUICK, sharedInbox, storedEntry } from "./open.ts";

const MINUTE = 60_000;

/** By which a call has found the run that is under way. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** A receiver with one handler, and a function that keeps an entry that is not due. */
async function open(handler: Handler = () => "ok", options: Partial<ReceiverOptions> = {}) {
  const opened = await openRuns({ a: handler }, options);
  const { inbox } = opened;
  const addHeld = async (number: number, parts: Parameters<typeof storedEntry>[1] = {}) => {
    const entry = storedEntry(number, { runAt: Date.now() + MINUTE, ...parts });
    return (await inbox.append(entry))?.seq ?? 0;
  };
  return { ...opened, addHeld };
}

describe("runNow", () => {
  it("runs an entry even if the concurrency limit is reached", async () => {
    const slow = gate();
    const { receiver, deliver, states, addHeld } = await open(
      ({ id }) => (id === "evt_1" ? slow.opened : "ok"),
      { concurrency: 1 },
    );
    await deliver(1);
    await until(async () => expect(await states()).toEqual(["running"]));
    expect(await receiver.runNow(await addHeld(2))).toMatchObject({ state: "handled" });
    expect(await states()).toEqual(["running", "handled"]);
  });

  it.each([
    ["handled", () => {}],
    ["failing", () => Promise.reject(new Error("no"))],
  ])(
    "waits for a run in progress instead of starting another, for any number of callers: %s",
    async (state, end) => {
      const slow = gate();
      const ran = vi.fn(() => slow.opened.then(end));
      const retry = { ...QUICK, delay: MINUTE, maxDelay: MINUTE };
      const { receiver, deliver } = await open(ran, { retry });
      await deliver(1);
      await until(() => expect(ran).toHaveBeenCalled());
      const asked = [receiver.runNow(1), receiver.runNow(1), receiver.runNow(1)];
      await nextTurn();
      slow.open();
      expect(await Promise.all(asked)).toMatchObject([{ state }, { state }, { state }]);
      expect(ran).toHaveBeenCalledOnce();
    },
  );

  it("starts one run for concurrent calls", async () => {
    const ran = vi.fn();
    const { receiver, addHeld } = await open(() => ran());
    const seq = await addHeld(1);
    const results = await Promise.all([1, 2, 3].map(() => receiver.runNow(seq)));
    expect(ran).toHaveBeenCalledOnce();
    expect(results).toContainEqual(expect.objectContaining({ state: "handled" }));
  });

  it("runs an entry again if its last run only stores its result, which the caller may have seen", async () => {
    const retry = { ...QUICK, delay: MINUTE, maxDelay: MINUTE };
    const { receiver, inbox, deliver } = await open(
      (_, { attempt }) => (attempt === 1 ? Promise.reject(new Error("no")) : "ok"),
      { retry },
    );
    const stored = gate();
    const seen = gate();
    const settle = inbox.settle.bind(inbox);
    vi.spyOn(inbox, "settle").mockImplementationOnce(async (...given) => {
      const result = await settle(...given);
      stored.open();
      await seen.opened;
      return result;
    });
    await deliver(1);
    await stored.opened;
    const asked = receiver.runNow(1);
    await nextTurn();
    seen.open();
    expect(await asked).toMatchObject({
      state: "handled",
      records: [{ attempt: 2, outcome: "ok" }],
    });
  });

  it("returns the result that its last run only stores if the entry has ended with it", async () => {
    const { receiver, inbox, deliver } = await open();
    const seen = gate();
    const settle = inbox.settle.bind(inbox);
    const storing = vi.spyOn(inbox, "settle").mockImplementationOnce(async (...given) => {
      await seen.opened;
      return settle(...given);
    });
    await deliver(1);
    await until(() => expect(storing).toHaveBeenCalled());
    const asked = receiver.runNow(1);
    await nextTurn();
    seen.open();
    expect(await asked).toMatchObject({ state: "handled", records: [{ attempt: 1 }] });
  });

  it("returns undefined for an entry that has ended, is leased or held back, is another source's, or is none", async () => {
    const { receiver, inbox, deliver, untilState, addHeld, states } = await open();
    await deliver(1);
    await untilState("handled");
    const leased = await addHeld(2);
    await inbox.claim({ now: Date.now(), limit: 1, leaseTime: MINUTE, only: leased });
    await addHeld(3, { orderKey: "prop_1" });
    const second = await addHeld(4, { orderKey: "prop_1" });
    const foreign = await addHeld(5, { source: "other" });
    for (const seq of [1, leased, second, foreign, 99])
      expect(await receiver.runNow(seq)).toBeUndefined();
    expect(await states()).toEqual(["handled", "running", "waiting", "waiting", "waiting"]);
  });

  it.each([
    ["skip", "handled"],
    ["block", undefined],
  ] as const)(
    "holds an entry back behind a dead letter of its key as deadLetterOrder says: %s",
    async (deadLetterOrder, state) => {
      const { receiver, addHeld } = await open(
        ({ id }) => (id === "evt_1" ? Promise.reject(new Error("no")) : "ok"),
        { deadLetterOrder, retry: { attempts: 1 } },
      );
      const first = await addHeld(1, { orderKey: "prop_1" });
      expect(await receiver.runNow(first)).toMatchObject({ state: "dead" });
      const ran = await receiver.runNow(await addHeld(2, { orderKey: "prop_1" }));
      expect(ran?.state).toBe(state);
    },
  );

  it("rejects if the entry cannot be claimed, and leaves it unchanged", async () => {
    const { receiver, inbox, addHeld } = await open();
    const seq = await addHeld(1);
    const claim = inbox.claim.bind(inbox);
    let fails = true;
    vi.spyOn(inbox, "claim").mockImplementation((request) =>
      fails && request.only === seq ? Promise.reject(new Error("locked")) : claim(request),
    );
    await expect(receiver.runNow(seq)).rejects.toThrow("locked");
    fails = false;
    expect(await receiver.runNow(seq)).toMatchObject({ state: "handled" });
  });

  it("leaves no entry leased if the receiver is closed during the claim", async () => {
    const inbox = sharedInbox();
    const { receiver, states } = await openRuns({ a: () => new Promise(() => {}) }, {}, inbox);
    const seq = (await inbox.append(storedEntry(1, { runAt: Date.now() + MINUTE })))?.seq ?? 0;
    const held = gate();
    const claim = inbox.claim.bind(inbox);
    vi.spyOn(inbox, "claim").mockImplementation(async (request) => {
      const entries = await claim(request);
      if (request.only === seq) await held.opened;
      return entries;
    });
    const asked = receiver.runNow(seq);
    await until(async () => expect(await states()).toEqual(["running"]));
    const closing = receiver.close();
    held.open();
    await closing;
    const left = (await inbox.list({})).map(({ state, attempts }) => ({ state, attempts }));
    expect(left).toEqual([{ state: "waiting", attempts: 0 }]);
    expect(await asked).not.toMatchObject({ state: "handled" });
  });
});
