import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ClaimedEntry, ClaimRequest } from "../../src/inbox/claim.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import type { Settlement } from "../../src/inbox/settlement.ts";
import { AT, keep, numberedEntry, sampleKey, settlementOf } from "./entries.ts";

/** Contract tests for order keys, and for entries that a claim passes over. */
export function describeOrder(makeInbox: () => Inbox): void {
  describe("claim", () => {
    let inbox: Inbox;

    beforeEach(async () => {
      inbox = makeInbox();
      await inbox.open();
    });

    afterEach(() => inbox.close());

    const add = async (number: number, orderKey: string | null, source = "service") => {
      const key = sampleKey({ source, eventId: `evt_${number}` });
      return (await keep(inbox, numberedEntry(number, 0, { orderKey, key }))).seq;
    };
    const claim = (request: Partial<ClaimRequest> = {}) =>
      inbox.claim({ now: AT, limit: 10, leaseTime: 1000, ...request });
    const numbers = (entries: readonly ClaimedEntry[]) =>
      entries.map(({ key }) => Number(key.eventId.replace("evt_", "")));
    const end = async (entries: readonly ClaimedEntry[], parts: Partial<Settlement> = {}) => {
      for (const entry of entries)
        expect(await inbox.settle(settlementOf(entry, parts), AT)).toBe(true);
    };

    it("returns one entry per order key at a time, in order of arrival, and others along with it", async () => {
      for (const [number, key] of [["a", "b", "a", null, "b", "a", null]].flat().entries())
        await add(number, key);
      const first = await claim();
      expect(numbers(first)).toEqual([0, 1, 3, 6]);
      expect(await claim()).toEqual([]);
      await end(first);
      const second = await claim();
      expect(numbers(second)).toEqual([2, 4]);
      await end(second);
      const third = await claim();
      expect(numbers(third)).toEqual([5]);
      await end(third);
      expect(await claim()).toEqual([]);
    });

    it("holds back entries behind one that waits for its next attempt", async () => {
      for (const number of [0, 1]) await add(number, "a");
      const first = await claim();
      await end(first, { state: "failing", runAt: AT + 5000 });
      expect(await claim({ now: AT + 100 })).toEqual([]);
      expect(await inbox.nextRunAt()).toBe(AT + 5000);
      const again = await claim({ now: AT + 5000 });
      expect(numbers(again)).toEqual([0]);
      await end(again);
      expect(numbers(await claim({ now: AT + 5000 }))).toEqual([1]);
    });

    it.each([
      [false, [1]],
      [true, []],
    ])("passes over a dead letter, or waits for it (deadBlocks %s)", async (deadBlocks, after) => {
      for (const number of [0, 1]) await add(number, "a");
      await end(await claim({ deadBlocks }), { state: "dead", reason: "attempts_exhausted" });
      expect(numbers(await claim({ deadBlocks }))).toEqual(after);
      expect(await inbox.nextRunAt({ deadBlocks })).toBe(deadBlocks ? undefined : AT + 1000);
    });

    it("continues behind a dead letter once it was retried and has ended", async () => {
      for (const number of [0, 1, 2]) await add(number, "a");
      await end(await claim({ deadBlocks: true }), { state: "dead", reason: "attempts_exhausted" });
      expect(await claim({ deadBlocks: true })).toEqual([]);
      await inbox.retry({ states: ["dead"] }, AT);
      for (const number of [0, 1, 2]) {
        const entries = await claim({ deadBlocks: true });
        expect(numbers(entries)).toEqual([number]);
        await end(entries);
      }
    });

    it("runs an earlier entry although a later one of its key is dead", async () => {
      for (const number of [0, 1]) await add(number, "a");
      for (const _ of [0, 1])
        await end(await claim({ deadBlocks: false }), {
          state: "dead",
          reason: "attempts_exhausted",
        });
      const [first] = await inbox.list({});
      await inbox.retry({ seq: first?.seq ?? 0 }, AT);
      expect(numbers(await claim({ deadBlocks: true }))).toEqual([0]);
    });

    it("holds entries back again if an earlier dead one is retried", async () => {
      for (const number of [0, 1, 2]) await add(number, "a");
      await end(await claim(), { state: "dead", reason: "attempts_exhausted" });
      await inbox.retry({ states: ["dead"] }, AT);
      expect(numbers(await claim())).toEqual([0]);
    });

    it("orders two sources separately", async () => {
      await add(0, "a", "one");
      await add(1, "a", "two");
      expect(numbers(await claim())).toEqual([0, 1]);
    });

    it("finds other entries behind a long row of held back ones", async () => {
      for (let number = 0; number < 30; number++) await add(number, "a");
      await add(99, null);
      expect(numbers(await claim({ limit: 2 }))).toEqual([0, 99]);
    });

    it("returns no more than its limit if it finds entries behind held back ones", async () => {
      for (const [number, key] of ["a", "a", "a", null, null, null, null].entries())
        await add(number, key);
      expect(numbers(await claim({ limit: 3 }))).toEqual([0, 3, 4]);
      expect(numbers(await claim({ limit: 1, ahead: 0 }))).toEqual([5]);
    });

    it("returns no more than its limit plus those ahead, if held back entries are in between", async () => {
      for (const [number, key] of ["a", "a", "a", null, null, null, null].entries())
        await add(number, key);
      expect(numbers(await claim({ limit: 2, ahead: 2 }))).toEqual([0, 3, 4, 5]);
    });

    it("leaves out the entries in `except`, even if their leases have expired", async () => {
      for (const number of [0, 1]) await add(number, null);
      const first = await claim({ limit: 1 });
      const except = first.map(({ seq }) => seq);
      expect(numbers(await claim({ now: AT + 2000, except }))).toEqual([1]);
      expect(await inbox.nextRunAt({ except })).toBe(AT + 3000);
      expect(numbers(await claim({ now: AT + 2000 }))).toEqual([0]);
    });

    it("[case 65] does not take a lease of normal length for a clock that was set back", async () => {
      await add(0, null);
      expect(numbers(await claim({ horizon: 0, leaseTime: 1000 }))).toEqual([0]);
      expect(await claim({ horizon: 0, leaseTime: 1000 })).toEqual([]);
      expect(numbers(await claim({ now: AT - 1, horizon: 0, leaseTime: 1000 }))).toEqual([0]);
    });

    it("[case 65] treats an entry whose time is beyond the horizon as due, since the clock was set back", async () => {
      await add(0, null);
      await end(await claim(), { state: "failing", runAt: AT + 60_000 });
      const day = 86_400_000;
      expect(await claim({ now: AT - day, horizon: day + 60_000 })).toEqual([]);
      expect(numbers(await claim({ now: AT - day, horizon: day + 59_999 }))).toEqual([0]);
    });
  });
}
