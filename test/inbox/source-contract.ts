import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { pruneInbox } from "../../src/inbox/prune.ts";
import { AT, claimOne, keep, numberedEntry, sampleKey, settlementOf } from "./entries.ts";

const DAY = 86_400_000;

/** Contract tests for receivers of several sources that share an inbox. */
export function describeSources(makeInbox: () => Inbox): void {
  describe("entries of several sources:", () => {
    let inbox: Inbox;

    beforeEach(async () => {
      inbox = makeInbox();
      await inbox.open();
    });

    afterEach(() => inbox.close());

    const entryOf = (source: string, number: number, later = 0) =>
      numberedEntry(number, later, { key: sampleKey({ source, eventId: `evt_${number}` }) });
    const claim = (sources: readonly string[], limit = 100) =>
      inbox.claim({ now: AT + 1000, limit, leaseTime: 1000, sources });
    const sourcesOf = (entries: readonly { key: { source: string } }[]) =>
      entries.map(({ key }) => key.source);
    const add = async (source: string, numbers: readonly number[]) => {
      for (const number of numbers) await keep(inbox, entryOf(source, number, number));
    };

    it("each receiver claims its own", async () => {
      await add("crm", [1, 3, 5]);
      await add("billing", [2, 4]);
      expect(sourcesOf(await claim(["billing"]))).toEqual(["billing", "billing"]);
      expect(sourcesOf(await claim(["crm"]))).toEqual(["crm", "crm", "crm"]);
    });

    it("a receiver of two sources claims both, in the order they are due", async () => {
      await add("crm", [1, 3]);
      await add("billing", [2, 4]);
      await add("other", [0]);
      expect(sourcesOf(await claim(["crm", "billing"], 3))).toEqual(["crm", "billing", "crm"]);
      expect(sourcesOf(await claim(["crm", "billing"], 3))).toEqual(["billing"]);
    });

    it("a claim without sources takes all of them, in the order they are due", async () => {
      await add("crm", [1, 3]);
      await add("billing", [2]);
      const claimed = await inbox.claim({ now: AT + 1000, limit: 10, leaseTime: 1000 });
      expect(sourcesOf(claimed)).toEqual(["crm", "billing", "crm"]);
    });

    it("a claim of no source takes nothing", async () => {
      await add("crm", [1]);
      expect(await claim([])).toEqual([]);
      expect(await inbox.nextRunAt({ sources: [] })).toBeUndefined();
    });

    it("another source's entry is not claimed by its number", async () => {
      const { seq } = await keep(inbox, entryOf("crm", 1));
      const only = (sources: readonly string[]) =>
        inbox.claim({ now: AT, limit: 1, leaseTime: 1000, only: seq, sources });
      expect(await only(["billing"])).toEqual([]);
      expect(await only(["crm"])).toHaveLength(1);
    });

    it("nextRunAt considers only the requested sources", async () => {
      await keep(inbox, { ...entryOf("crm", 1), runAt: AT + 10 });
      await keep(inbox, { ...entryOf("billing", 2), runAt: AT + 20 });
      expect(await inbox.nextRunAt({ sources: ["billing"] })).toBe(AT + 20);
      expect(await inbox.nextRunAt({ sources: ["billing", "crm"] })).toBe(AT + 10);
      expect(await inbox.nextRunAt({ sources: ["other"] })).toBeUndefined();
      expect(await inbox.nextRunAt()).toBe(AT + 10);
    });

    it("retry and list consider only the requested sources", async () => {
      for (const source of ["crm", "billing"]) {
        await keep(inbox, { ...entryOf(source, 1), state: "dead", reason: "invalid_data" });
      }
      expect(sourcesOf(await inbox.list({ sources: ["billing"] }))).toEqual(["billing"]);
      expect(await inbox.retry({ sources: ["billing"] }, AT)).toMatchObject({ ended: 1 });
      expect(await inbox.list({ states: ["waiting", "failing"] })).toMatchObject([
        { key: { source: "billing" } },
      ]);
    });

    it("unusual source names are distinguished", async () => {
      const odd = "a\u0000b";
      await keep(inbox, entryOf(odd, 1));
      expect(await claim(["a"])).toEqual([]);
      expect(await inbox.list({ sources: [odd] })).toHaveLength(1);
      expect(sourcesOf(await claim([odd]))).toEqual([odd]);
    });

    it("pruning one source does not make another refuse its events", async () => {
      await keep(inbox, entryOf("crm", 1));
      await inbox.settle(settlementOf(await claimOne(inbox)), AT);
      await keep(inbox, entryOf("crm", 2));
      const now = AT + 4 * DAY;
      const all = { states: ["handled"], receivedUntil: now, datedUntil: now } as const;
      expect((await pruneInbox(inbox, { prune: { ...all, sources: ["billing"] } })).pruned).toBe(0);
      expect((await pruneInbox(inbox, { prune: { ...all, sources: ["crm"] } })).pruned).toBe(1);
      expect(await inbox.append(entryOf("crm", 1))).toBeUndefined();
      expect(await inbox.append(entryOf("billing", 1))).toMatchObject({ duplicate: false });
    });

    it("slimming deletes only the deliveries of the requested sources", async () => {
      const seqs: number[] = [];
      for (const source of ["crm", "billing"]) {
        seqs.push((await keep(inbox, entryOf(source, 1))).seq);
        await inbox.settle(settlementOf(await claimOne(inbox)), AT);
      }
      const slim = { settledUntil: AT + DAY, sources: ["billing"] };
      expect(await pruneInbox(inbox, { slim })).toEqual({ pruned: 0, slimmed: 1 });
      const kept = await Promise.all(
        seqs.map(async (seq) => (await inbox.delivery(seq)) !== undefined),
      );
      expect(kept).toEqual([true, false]);
    });
  });
}
