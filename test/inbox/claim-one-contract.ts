import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ClaimRequest } from "../../src/inbox/claim.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { AT, claimOne, keep, numberedEntry, sampleEntry, settlementOf } from "./entries.ts";

/** Contract tests for claiming one entry out of turn. */
export function describeClaimOfOne(makeInbox: () => Inbox): void {
  describe("claim of one entry out of turn", () => {
    let inbox: Inbox;

    beforeEach(async () => {
      inbox = makeInbox();
      await inbox.open();
    });

    afterEach(() => inbox.close());

    const claim = (only: number, request: Partial<ClaimRequest> = {}) =>
      inbox.claim({ now: AT, limit: 1, leaseTime: 100, only, ...request });
    const held = { orderKey: "prop_1" };

    it("leaves an entry with a later run time to that time", async () => {
      await keep(inbox, sampleEntry({ runAt: AT + 500 }));
      expect(await inbox.list({})).toMatchObject([{ receivedAt: AT, runAt: AT + 500 }]);
      expect(await inbox.nextRunAt()).toBe(AT + 500);
      expect(await inbox.claim({ now: AT + 499, limit: 5, leaseTime: 10 })).toEqual([]);
      expect(await inbox.claim({ now: AT + 500, limit: 5, leaseTime: 10 })).toHaveLength(1);
    });

    it("leases that entry even if it is not due, and no due entry instead", async () => {
      await keep(inbox, numberedEntry(1));
      const { seq } = await keep(inbox, numberedEntry(2, 0, { runAt: AT + 5000 }));
      expect(await claim(seq)).toMatchObject([
        { seq, attempts: 1, runAt: AT + 100, lease: expect.any(String) },
      ]);
      expect(await inbox.list({})).toMatchObject([{ state: "waiting" }, { state: "running" }]);
      expect(await claim(seq)).toEqual([]);
    });

    it("leases an entry that waits for its next attempt", async () => {
      const { seq } = await keep(inbox, sampleEntry());
      const first = await claimOne(inbox);
      await inbox.settle(settlementOf(first, { state: "failing", runAt: AT + 60_000 }), AT);
      expect(await claim(seq)).toMatchObject([{ seq, attempts: 2 }]);
    });

    it("returns the entry to only one of many concurrent calls", async () => {
      const { seq } = await keep(inbox, sampleEntry());
      const claims = await Promise.all(Array.from({ length: 10 }, () => claim(seq)));
      expect(claims.flat()).toHaveLength(1);
    });

    it("returns nothing for a leased entry until the lease has expired", async () => {
      const { seq } = await keep(inbox, sampleEntry());
      await claimOne(inbox, AT, 300);
      expect(await claim(seq, { now: AT + 299 })).toEqual([]);
      expect(await claim(seq, { now: AT + 300 })).toMatchObject([{ attempts: 2 }]);
    });

    it("treats a lease as expired if the clock was set back far", async () => {
      const { seq } = await keep(inbox, sampleEntry());
      await claimOne(inbox, AT, 300);
      expect(await claim(seq, { now: AT - 86_400_000, horizon: 1000 })).toMatchObject([{ seq }]);
    });

    it("does not take a lease of normal length for a clock that was set back", async () => {
      const { seq } = await keep(inbox, sampleEntry());
      await claimOne(inbox, AT, 100);
      expect(await claim(seq, { horizon: 0 })).toEqual([]);
      expect(await claim(seq, { now: AT - 1, horizon: 0 })).toMatchObject([{ seq }]);
    });

    it.each(["handled", "dead", "received"] as const)(
      "returns nothing for an entry that is %s",
      async (state) => {
        const { seq } = await keep(inbox, sampleEntry());
        await inbox.settle(settlementOf(await claimOne(inbox), { state }), AT);
        expect(await claim(seq)).toEqual([]);
      },
    );

    it("returns nothing for an unknown entry, or one in `except`", async () => {
      const { seq } = await keep(inbox, sampleEntry());
      expect(await claim(seq + 1)).toEqual([]);
      expect(await claim(seq, { except: [seq] })).toEqual([]);
    });

    it("returns nothing for an entry that an earlier one with its order key holds back, until that has ended", async () => {
      await keep(inbox, numberedEntry(1, 0, held));
      const { seq } = await keep(inbox, numberedEntry(2, 0, held));
      expect(await claim(seq)).toEqual([]);
      await inbox.settle(settlementOf(await claimOne(inbox)), AT);
      expect(await claim(seq)).toMatchObject([{ seq }]);
    });

    it("applies `deadBlocks`", async () => {
      await keep(inbox, numberedEntry(1, 0, { ...held, state: "dead", reason: "invalid_data" }));
      const { seq } = await keep(inbox, numberedEntry(2, 0, held));
      expect(await claim(seq, { deadBlocks: true })).toEqual([]);
      expect(await claim(seq)).toMatchObject([{ seq }]);
    });
  });
}
