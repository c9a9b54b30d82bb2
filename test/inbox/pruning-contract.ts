import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EntryState } from "../../src/entries/index.ts";
import { REJECTED } from "../../src/event/identity.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { pruneInbox } from "../../src/inbox/prune.ts";
import type { PruneRequest } from "../../src/inbox/prune-request.ts";
import { AT, claimOne, keep, numberedEntry, RUN, sampleKey, settlementOf } from "./entries.ts";

const EVERYTHING: PruneRequest = {
  states: ["handled", "received", "dead"],
  receivedUntil: AT + 1e9,
  datedUntil: AT + 1e9,
};

/** Contract tests for pruning. */
export function describePruning(makeInbox: () => Inbox): void {
  describe("prune", () => {
    let inbox: Inbox;

    beforeEach(async () => {
      inbox = makeInbox();
      await inbox.open();
    });

    afterEach(() => inbox.close());

    /**
     * Adds an entry in a state, received `later`, with a timestamp 5 seconds before. No other entry
     * may be due.
     */
    const add = async (
      number: number,
      state: EntryState,
      later = 0,
      orderKey: string | null = null,
    ) => {
      const at = AT + later;
      const key = sampleKey({ eventId: `evt_${number}`, timestamp: at - 5000 });
      const next = numberedEntry(number, later, { key, eventTimestamp: at - 5000, orderKey });
      const { seq } = await keep(inbox, next);
      if (state === "waiting") return seq;
      const claimed = await claimOne(inbox, at, 1e12);
      if (state === "running") return seq;
      const record = { ...RUN, handler: "a", startedAt: at };
      await inbox.settle(settlementOf(claimed, { state, records: [record] }), at);
      return seq;
    };
    const prune = async (request: Partial<PruneRequest> = {}) =>
      (await pruneInbox(inbox, { prune: { ...EVERYTHING, ...request } })).pruned;
    const left = async () => (await inbox.list({})).map(({ key }) => key.eventId);

    it("deletes ended entries with their delivery and attempts, and no waiting or running ones", async () => {
      const done = await add(0, "handled");
      for (const [index, state] of (
        ["dead", "received", "running", "waiting"] as const
      ).entries()) {
        await add(index + 1, state);
      }
      expect(await prune()).toBe(3);
      expect(await left()).toEqual(["evt_3", "evt_4"]);
      expect(await inbox.delivery(done)).toBeUndefined();
      expect(await inbox.attempts(done)).toEqual([]);
    });

    it("deletes only the requested states", async () => {
      for (const [index, state] of (["handled", "dead", "received", "handled"] as const).entries())
        await add(index, state);
      expect(await prune({ states: ["handled", "received"] })).toBe(2);
      expect(await left()).toEqual(["evt_1", "evt_3"]);
    });

    it("deletes only entries whose arrival and timestamp are both old enough", async () => {
      for (const number of [0, 1, 2, 3]) await add(number, "handled", number * 1000);
      expect(await prune({ receivedUntil: AT + 1000, datedUntil: AT })).toBe(2);
      expect(await left()).toEqual(["evt_2", "evt_3"]);
      expect(await prune({ receivedUntil: AT + 9000, datedUntil: AT - 3001 })).toBe(0);
      expect(await prune({ receivedUntil: AT + 9000, datedUntil: AT - 3000 })).toBe(1);
    });

    it("keeps the newest entry, so that no number is used twice", async () => {
      const last = await add(0, "handled");
      expect(await prune()).toBe(0);
      expect(await add(1, "handled")).toBeGreaterThan(last);
      expect(await prune()).toBe(1);
    });

    it("prunes what was received after a clock was set back, and does not stop at what it was ahead for", async () => {
      const ahead = Date.now() + 400 * 86_400_000 - AT;
      for (const number of [0, 1]) await add(number, "handled", ahead + number);
      for (const number of [2, 3]) await add(number, "handled", number);
      const request = { ...EVERYTHING, receivedUntil: AT + 2 };
      const first = await inbox.prune(request, { limit: 2 });
      expect(await inbox.prune(request, { limit: 2, cursor: first.next })).toMatchObject({
        changed: 1,
      });
      expect(await left()).toEqual(["evt_0", "evt_1", "evt_3"]);
    });

    it("prunes a long inbox in small steps", async () => {
      for (let number = 0; number < 20; number++)
        await add(number, number % 3 === 0 ? "dead" : "handled");
      const request = { ...EVERYTHING, states: ["handled"] } as const;
      let changed = 0;
      let steps = 0;
      let cursor: string | undefined;
      do {
        const result = await inbox.prune(request, { cursor, limit: 3 });
        changed += result.changed;
        cursor = result.next;
        steps++;
      } while (cursor !== undefined);
      expect(changed).toBe(12); // 13 are done, and the newest stays
      expect(steps).toBeGreaterThan(5);
      expect((await inbox.counts()).dead).toBe(7);
    });

    it("[case 58] never accepts an event again that it may have deleted, whatever the clock says", async () => {
      await add(0, "handled");
      await add(1, "handled", 1000);
      await add(2, "handled", 2000);
      expect(await prune({ receivedUntil: AT + 1000 })).toBe(2);
      const again = (number: number, later: number) => {
        const dated = AT + later - 5000;
        const key = sampleKey({ eventId: `evt_${number}`, timestamp: dated });
        return numberedEntry(number, later, { key, eventTimestamp: dated });
      };
      expect(await inbox.append(again(0, 0))).toBeUndefined();
      expect(await inbox.append(again(1, 1000))).toBeUndefined();
      expect(await inbox.append(again(7, 500))).toBeUndefined();
      expect(await inbox.append(again(8, 1001))).toMatchObject({ duplicate: false });
      expect(await inbox.append(again(2, 2000))).toMatchObject({ duplicate: true });
      expect(await left()).toEqual(["evt_2", "evt_8"]);
    });

    it("stores dead letters however old, and entries with `afterPruning`", async () => {
      await add(0, "handled");
      await add(1, "handled", 1000);
      await prune();
      const dead = numberedEntry(5, 0, { state: "dead", reason: "too_old" });
      expect(await inbox.append(dead)).toMatchObject({ duplicate: false, state: "dead" });
      expect(await inbox.append({ ...numberedEntry(6), afterPruning: true })).toMatchObject({
        state: "waiting",
      });
    });

    it("deletes a rejected delivery by its arrival, whatever its timestamp, and still accepts newer events", async () => {
      const key = sampleKey({ timestamp: REJECTED, eventId: "raw_1" });
      const parts = {
        key,
        eventTimestamp: AT + 1e12,
        state: "dead",
        reason: "future_timestamp",
      } as const;
      await keep(inbox, numberedEntry(0, 0, parts));
      await add(1, "waiting", 1000);
      expect(await prune({ receivedUntil: AT, datedUntil: AT })).toBe(1);
      expect(await inbox.append(numberedEntry(2))).toMatchObject({ duplicate: false });
    });

    it("lets entries behind a deleted dead letter run", async () => {
      await add(0, "dead", 0, "a");
      await add(1, "waiting", 0, "a");
      expect(await inbox.claim({ now: AT, limit: 5, leaseTime: 10, deadBlocks: true })).toEqual([]);
      await prune({ states: ["dead"] });
      expect(
        await inbox.claim({ now: AT, limit: 5, leaseTime: 10, deadBlocks: true }),
      ).toHaveLength(1);
    });

    it("deletes the deliveries of handled entries, and keeps the rest", async () => {
      const done = await add(0, "handled");
      const young = await add(1, "handled", 1000);
      const dead = await add(2, "dead");
      const [before] = await inbox.list({ seq: done });
      expect(await pruneInbox(inbox, { slim: { settledUntil: AT + 999 } })).toEqual({
        pruned: 0,
        slimmed: 1,
      });
      expect(await inbox.delivery(done)).toBeUndefined();
      expect(await inbox.list({ seq: done })).toEqual([before]);
      expect(await inbox.attempts(done)).toHaveLength(1);
      expect(await inbox.delivery(young)).toBeDefined();
      expect(await inbox.delivery(dead)).toBeDefined();
      expect(
        await inbox.append(numberedEntry(0, 0, { key: before?.key ?? sampleKey() })),
      ).toMatchObject({
        duplicate: true,
        state: "handled",
      });
    });
  });
}
