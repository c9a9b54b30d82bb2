import { beforeEach, describe, expect, it } from "vitest";
import { createReceiver, type InboxView } from "../../src/entries/index.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { openReceiver } from "./open.ts";
import {
  at,
  bytes,
  DAY,
  deliveryOf,
  envelope,
  inboxFile,
  keptLog,
  MINUTE,
  NOW,
  SECRET,
  until,
} from "./sample.ts";

const invalid = expect.objectContaining({ name: "ConfigurationError", code: "option_invalid" });

/**
 * A receiver with a handled, a dead and a received entry, and one that waits for another process.
 */
async function opened() {
  const { receiver, clock } = await openReceiver({
    retry: { attempts: 1, delay: 0, jitter: 0 },
    unhandledAfter: 0,
  });
  let fails = true;
  receiver.on("payment.received", () => {});
  receiver.on("lead.created", () => {
    if (fails) throw new Error("no such agent");
  });
  for (const event of ["payment.received", "lead.created", "property.updated"])
    await receiver.accept(deliveryOf(envelope({ event })));
  const counts = (expected: object) =>
    until(async () => expect(await receiver.inbox.count()).toMatchObject(expected));
  await counts({ handled: 1, dead: 1, received: 1 });
  const mend = () => {
    fails = false;
  };
  return { receiver, inbox: receiver.inbox, clock, counts, mend };
}

describe("a receiver's inbox", () => {
  it("counts entries by state, all or some", async () => {
    const { inbox } = await opened();
    const none = { waiting: 0, failing: 0, running: 0, handled: 0, dead: 0, received: 0 };
    expect(await inbox.count()).toEqual({ ...none, handled: 1, dead: 1, received: 1 });
    expect(await inbox.count({ kinds: ["lead.*"], sources: ["service"] })).toEqual({
      ...none,
      dead: 1,
    });
    expect(await inbox.count({ until: NOW })).toEqual(none);
  });

  it("lists entries in order, with the states that people see", async () => {
    const { inbox } = await opened();
    expect((await inbox.list()).map(({ seq, state }) => [seq, state])).toEqual([
      [1, "handled"],
      [2, "dead"],
      [3, "received"],
    ]);
    expect(await inbox.list({ states: ["received", "handled"], limit: 1 })).toMatchObject([
      { seq: 3 },
    ]);
    expect(await inbox.list({ states: ["waiting"] })).toEqual([]);
  });

  it("lists the newest 100 if no limit is given, and drops entries that wait", async () => {
    const { receiver } = await openReceiver({ role: "receive" });
    for (let number = 1; number <= 101; number++)
      await receiver.accept(deliveryOf(envelope({ data: { number } })));
    const seqs = (await receiver.inbox.list()).map(({ seq }) => seq);
    expect([seqs.length, seqs[0], seqs.at(-1)]).toEqual([100, 2, 101]);
    expect(await receiver.inbox.list({ limit: 200 })).toHaveLength(101);
    expect(await receiver.inbox.drop({ kinds: ["payment.*"], seqs: [101] })).toBe(1);
    const last = { seq: 101, state: "dead", reason: "dropped" };
    expect(await receiver.inbox.list({ limit: 1 })).toMatchObject([last]);
  });

  it("shows an entry with its delivery and runs", async () => {
    const { inbox } = await opened();
    const shown = await inbox.show(2);
    expect(shown).toMatchObject({
      seq: 2,
      state: "dead",
      reason: "attempts_exhausted",
      attempts: 1,
      runs: [{ handler: "lead.created", outcome: "error", error: "no such agent" }],
    });
    expect(Buffer.from(shown?.delivery?.body ?? [])).toEqual(
      bytes(envelope({ event: "lead.created" })),
    );
    expect(await inbox.show(9)).toBe(undefined);
  });

  it("retries dead and received entries, and hastens those that wait", async () => {
    const { inbox, counts, mend } = await opened();
    mend();
    expect(await inbox.retry({ states: ["dead"] })).toBe(1);
    await counts({ handled: 2, received: 1 });
    expect(await inbox.retry({})).toBe(1);
    const { receiver, clock } = await openReceiver({
      retry: { attempts: 5, delay: DAY, maxDelay: DAY },
    });
    let runs = 0;
    receiver.on("*", () => {
      runs++;
      if (runs === 1) throw new Error("away");
    });
    await receiver.accept(deliveryOf(envelope()));
    await until(async () => expect(await receiver.inbox.count()).toMatchObject({ failing: 1 }));
    expect(await receiver.inbox.retry({ states: ["waiting"] })).toBe(0);
    expect(await receiver.inbox.retry({ states: ["failing"] })).toBe(1);
    await until(async () => expect(await receiver.inbox.count()).toMatchObject({ handled: 1 }));
    expect([runs, clock.now]).toEqual([2, NOW]);
  });

  it("drops what has ended only if it is named, and retries what was dropped only if it is named", async () => {
    const { inbox, counts, mend } = await opened();
    mend();
    expect(await inbox.drop({})).toBe(0);
    expect(await inbox.drop({ states: ["received"] })).toBe(1);
    expect(await inbox.show(3)).toMatchObject({ state: "dead", reason: "dropped" });
    expect(await inbox.retry({ states: ["dead"] })).toBe(1);
    await counts({ handled: 2, dead: 1 });
    expect(await inbox.retry({ seqs: [3] })).toBe(1);
  });

  it("prunes old entries that were handled or received, or those in the given states", async () => {
    const { receiver, inbox, clock, counts } = await opened();
    expect(await inbox.prune({ olderThan: 8 * DAY })).toBe(0);
    clock.now += 9 * DAY;
    await receiver.accept(deliveryOf(envelope({ timestamp: at(9 * DAY) }), undefined, clock.now));
    await counts({ handled: 2 });
    expect(await inbox.prune({ olderThan: 8 * DAY, sources: ["another"] })).toBe(0);
    expect(await inbox.prune({ olderThan: 8 * DAY })).toBe(2);
    expect((await inbox.list()).map(({ state }) => state)).toEqual(["dead", "handled"]);
    expect(await inbox.prune({ olderThan: 8 * DAY, states: ["dead"] })).toBe(1);
  });

  it("does not prune what a receiver could not tell from a replay any more", async () => {
    const { inbox } = await opened();
    await expect(inbox.prune({ olderThan: 7 * DAY + 5 * MINUTE - 1 })).rejects.toEqual(invalid);
    expect(await inbox.prune({ olderThan: 7 * DAY + 5 * MINUTE })).toBe(0);
  });

  it("can be used once its receiver is started", async () => {
    const receiver = createReceiver({ secret: SECRET, inbox: inboxFile(), log: keptLog().log });
    await expect(receiver.inbox.list()).rejects.toMatchObject({ code: "closed" });
    await receiver.start();
    expect(await receiver.inbox.list()).toEqual([]);
    await receiver.close();
    for (const call of [receiver.inbox.list(), receiver.inbox.count(), receiver.inbox.show(1)])
      await expect(call).rejects.toMatchObject({ code: "closed" });
  });

  it("has no other members, and no member can be replaced", async () => {
    const { receiver } = await openReceiver();
    expect(Object.keys(receiver.inbox).sort()).toEqual([
      "count",
      "drop",
      "list",
      "prune",
      "retry",
      "show",
    ]);
    expect(Object.isFrozen(receiver.inbox)).toBe(true);
  });
});

describe("a wrong selection", () => {
  let inbox: InboxView;
  beforeEach(async () => {
    inbox = (await opened()).inbox;
  });

  it.each([
    ["a misspelt field, which would match everything", { state: ["dead"] }],
    ["an unknown state", { states: ["done"] }],
    ["a state that is no list", { states: "dead" }],
    ["a number for numbers", { seqs: 2 }],
    ["a text for a time", { since: "2026-01-15" }],
    ["an empty id, which every id begins with", { eventId: "" }],
    ["nothing", null],
  ])("is refused: %s", async (_, selection) => {
    for (const call of [inbox.list, inbox.retry, inbox.drop])
      await expect(call(selection as never)).rejects.toEqual(invalid);
    expect(await inbox.count()).toMatchObject({ handled: 1, dead: 1, received: 1 });
  });

  it.each([{ states: ["dead"] }, { seqs: [1] }, { limit: 1 }])(
    "to count by %j is refused",
    async (of) => {
      await expect(inbox.count(of as never)).rejects.toEqual(invalid);
    },
  );

  it.each([{}, { olderThan: "1 day" }, { olderThan: 30 * DAY, states: ["running"] }, undefined])(
    "to prune by %j is refused",
    async (of) => {
      await expect(inbox.prune(of as never)).rejects.toEqual(invalid);
    },
  );
});

describe("inboxOf", () => {
  it("returns the store that a receiver was given", () => {
    const store = memoryInbox();
    expect(
      inboxOf(createReceiver({ secret: SECRET, inbox: handleOf(store), log: keptLog().log })),
    ).toBe(store);
  });

  it("refuses what is no receiver", () => {
    for (const receiver of [
      { inbox: memoryInbox() },
      { inbox: handleOf(memoryInbox()) },
      { inbox: undefined },
    ])
      expect(() => inboxOf(receiver as never)).toThrow(invalid);
  });
});
