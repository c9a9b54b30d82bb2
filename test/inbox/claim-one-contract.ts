import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ClaimRequest, Inbox } from "../../src/inbox/inbox.ts";
import { AT, claimOne, keep, numberedEntry, sampleEntry, settlementOf } from "./entries.ts";

/** What every inbox must do when one entry is claimed out of its turn. */
export function describeClaimOfOne(makeInbox: () => Inbox): void {
  describe("claim of one entry out of its turn", () => {
    let inbox: Inbox;

    beforeEach(async () => {
      inbox = makeInbox();
      await inbox.open();
    });

    afterEach(() => inbox.close());

    const claim = (only: number, request: Partial<ClaimRequest> = {}) =>
      inbox.claim({ now: AT, limit: 1, leaseMs: 100, only, ...request });
    const held = { orderKey: "prop_1" };

    it("keeps an entry that runs later, and leaves it until then", async () => {
      await keep(inbox, sampleEntry({ runAt: AT + 500 }));
      expect(await inbox.list({})).toMatchObject([{ receivedAt: AT, runAt: AT + 500 }]);
      expect(await inbox.nextRunAt()).toBe(AT + 500);
      expect(await inbox.claim({ now: AT + 499, limit: 5, leaseMs: 10 })).toEqual([]);
      expect(await inbox.claim({ now: AT + 500, limit: 5, leaseMs: 10 })).toHaveLength(1);
    });

    it("leases it though it is not due, and no other although it is", async () => {
      await keep(inbox, numberedEntry(1));
      const { seq } = await keep(inbox, numberedEntry(2, 0, { runAt: AT + 5000 }));
      expect(await claim(seq)).toMatchObject([
        { seq, attempts: 1, runAt: AT + 100, lease: expect.any(String) },
      ]);
      expect(await inbox.list({})).toMatchObject([{ state: "pending" }, { state: "running" }]);
      expect(await claim(seq)).toEqual([]);
    });

    it("leases one that waits for its next attempt", async () => {
      const { seq } = await keep(inbox, sampleEntry());
      const first = await claimOne(inbox);
      await inbox.settle(settlementOf(first, { state: "pending", runAt: AT + 60_000 }), AT);
      expect(await claim(seq)).toMatchObject([{ seq, attempts: 2 }]);
    });

    it("gives it once when many ask at once", async () => {
      const { seq } = await keep(inbox, sampleEntry());
      const claims = await Promise.all(Array.from({ length: 10 }, () => claim(seq)));
      expect(claims.flat()).toHaveLength(1);
    });

    it("leaves it to who leased it until the lease has ended", async () => {
      const { seq } = await keep(inbox, sampleEntry());
      await claimOne(inbox, AT, 300);
      expect(await claim(seq, { now: AT + 299 })).toEqual([]);
      expect(await claim(seq, { now: AT + 300 })).toMatchObject([{ attempts: 2 }]);
    });

    it("takes a lease from a clock that was set back far for one that has ended", async () => {
      const { seq } = await keep(inbox, sampleEntry());
      await claimOne(inbox, AT, 300);
      expect(await claim(seq, { now: AT - 86_400_000, horizon: 1000 })).toMatchObject([{ seq }]);
    });

    it("takes no lease for one of a clock that was set back while it is no longer than a lease", async () => {
      const { seq } = await keep(inbox, sampleEntry());
      await claimOne(inbox, AT, 100);
      expect(await claim(seq, { horizon: 0 })).toEqual([]);
      expect(await claim(seq, { now: AT - 1, horizon: 0 })).toMatchObject([{ seq }]);
    });

    it.each(["done", "dead", "unhandled"] as const)("leaves one that is %s", async (state) => {
      const { seq } = await keep(inbox, sampleEntry());
      await inbox.settle(settlementOf(await claimOne(inbox), { state }), AT);
      expect(await claim(seq)).toEqual([]);
    });

    it("leaves one that is not there, or is said to be running already", async () => {
      const { seq } = await keep(inbox, sampleEntry());
      expect(await claim(seq + 1)).toEqual([]);
      expect(await claim(seq, { except: [seq] })).toEqual([]);
    });

    it("leaves one that an earlier entry of its order key holds back, until that has ended", async () => {
      await keep(inbox, numberedEntry(1, 0, held));
      const { seq } = await keep(inbox, numberedEntry(2, 0, held));
      expect(await claim(seq)).toEqual([]);
      await inbox.settle(settlementOf(await claimOne(inbox)), AT);
      expect(await claim(seq)).toMatchObject([{ seq }]);
    });

    it("heeds whether a dead letter holds it back", async () => {
      await keep(inbox, numberedEntry(1, 0, { ...held, state: "dead", reason: "invalid_data" }));
      const { seq } = await keep(inbox, numberedEntry(2, 0, held));
      expect(await claim(seq, { deadBlocks: true })).toEqual([]);
      expect(await claim(seq)).toMatchObject([{ seq }]);
    });
  });
}
