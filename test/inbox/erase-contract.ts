import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { EntryState } from "../../src/entries/index.ts";
import type { NewEntry } from "../../src/inbox/append.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import {
  AT,
  claimOne,
  endErasure,
  eraseEntries,
  keep,
  numberedEntry,
  sampleDelivery,
  settlementOf,
} from "./entries.ts";

/** Contract tests for erasing. */
export function describeErasing(makeInbox: () => Inbox): void {
  describe("erase", () => {
    let inbox: Inbox;

    beforeEach(async () => {
      inbox = makeInbox();
      await inbox.open();
    });

    afterEach(() => inbox.close());

    const erase = (...seqs: readonly number[]) => eraseEntries(inbox, seqs, AT + 9000);

    /**
     * Adds an entry in a state; one that failed has a run, problems and a target. No other entry
     * may be due.
     */
    const add = async (number: number, state: EntryState, parts: Partial<NewEntry> = {}) => {
      const { seq } = await keep(inbox, numberedEntry(number, 0, parts));
      if (state === "waiting") return seq;
      const claimed = await claimOne(inbox, AT, 1e12);
      if (state === "running") return seq;
      const run = {
        attempt: 1,
        handler: "a",
        startedAt: AT,
        duration: 1,
        outcome: "error",
      } as const;
      const failure = { name: "TypeError", code: null, at: null, stack: null, causes: [] };
      const records = [{ ...run, error: "no such tenant", failure, note: "tenant 42" }];
      const wait = {
        target: "http://tenant-42/",
        since: AT,
        attempts: 1,
        nextAt: AT,
        over: "refused",
      };
      const bad = { reason: "attempts_exhausted", problems: [{ path: "data", message: "of 42" }] };
      const ended = state === "dead" ? { ...bad, records, waits: [wait] } : {};
      await inbox.settle(settlementOf(claimed, { state, ...(ended as object) }), AT + 1);
      return seq;
    };

    it("leaves the dedup key, and nothing else that the sender or a handler said", async () => {
      const orderKey = "tenant 42";
      for (const [number, state] of (
        ["handled", "dead", "received", "waiting"] as const
      ).entries()) {
        const seq = await add(number, state, { orderKey: state === "dead" ? null : orderKey });
        expect(await erase(seq)).toEqual([seq]);
        await endErasure(inbox);
        const [entry] = await inbox.list({ seq });
        expect(entry).toMatchObject({
          key: { eventId: `evt_${number}` },
          state: "handled",
          reason: "erased",
          problems: [],
          waits: [],
          orderKey: null,
          finishedHandlers: [],
          bodyLength: 0,
          bodyHash: createHash("sha256").digest("hex"),
          receivedAt: AT,
          settledAt: state === "waiting" ? AT + 9000 : AT + 1,
        });
        expect(await inbox.delivery(seq)).toBeUndefined();
        expect(await inbox.attempts(seq)).toEqual([]);
      }
      expect(await inbox.claim({ now: AT + 9e9, limit: 10, leaseTime: 1 })).toEqual([]);
      expect(await inbox.retry({}, AT)).toEqual({ due: 0, ended: 0 });
    });

    it("takes an erased event for known when it is received again", async () => {
      const seq = await add(1, "dead");
      await erase(seq);
      await endErasure(inbox);
      const again = await inbox.append(numberedEntry(1));
      expect(again).toMatchObject({ seq, duplicate: true, state: "handled" });
      expect(await inbox.delivery(seq)).toBeUndefined();
      expect(await inbox.list({})).toMatchObject([{ duplicates: 1 }]);
    });

    it("leaves an entry that runs, and its result is stored", async () => {
      const { seq } = await keep(inbox, numberedEntry(1));
      const claimed = await claimOne(inbox);
      expect(await erase(seq)).toEqual([]);
      expect(await inbox.settle(settlementOf(claimed), AT)).toBe(true);
      expect(await erase(seq)).toEqual([seq]);
      expect(await inbox.settle(settlementOf(claimed), AT)).toBe(false);
    });

    it("lets the next entry of its order key run", async () => {
      const first = await add(1, "waiting", { orderKey: "k" });
      const next = await keep(inbox, numberedEntry(2, 1, { orderKey: "k" }));
      expect(await inbox.claim({ now: AT + 5, limit: 10, leaseTime: 1 })).toMatchObject([
        { seq: first },
      ]);
      await inbox.reschedule({}, AT + 1e6);
      const [run] = await inbox.claim({ now: AT + 10, limit: 10, leaseTime: 1 });
      if (run === undefined) throw new Error("expected the first to be claimed again");
      await inbox.settle(settlementOf(run, { state: "failing", runAt: AT + 1e6 }), AT + 10);
      expect(await erase(first)).toEqual([first]);
      expect(await inbox.claim({ now: AT + 2e6, limit: 10, leaseTime: 1 })).toMatchObject([
        { seq: next.seq },
      ]);
    });

    it("counts what was erased since the last erasure that ended, and says since when", async () => {
      expect(await endErasure(inbox)).toBeUndefined();
      const seqs = [await add(1, "handled"), await add(2, "dead"), await add(3, "handled")];
      await eraseEntries(inbox, [seqs[2] ?? 0], AT + 7);
      await erase(seqs[0] ?? 0, seqs[2] ?? 0, 1e6);
      expect(await endErasure(inbox)).toEqual({ entries: 2, since: AT + 7 });
      expect(await endErasure(inbox)).toBeUndefined();
      await erase(seqs[1] ?? 0);
      expect(await endErasure(inbox)).toMatchObject({ entries: 1 });
    });

    it("lets one erasure run at a time, and another one once that has ended or failed", async () => {
      const another = () => endErasure(inbox);
      const seq = await add(1, "handled");
      const erased = await inbox.erase(async (erasing) => {
        await erasing.erase([seq], AT);
        await expect(another()).rejects.toMatchObject({
          code: "inbox_busy",
          message: expect.stringMatching(/process \d+ on .+ has been erasing entries since \d{4}-/),
        });
        return erasing.end();
      });
      expect(erased).toMatchObject({ entries: 1 });
      await expect(inbox.erase(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
      // On a server, the connection of one that failed is ended, which it may notice later.
      expect(await vi.waitFor(another, 5000)).toBeUndefined();
    });

    it("erases a rejected delivery, whose body was no event", async () => {
      const delivery = sampleDelivery({ body: Buffer.from("tenant 42") });
      const rejected = {
        kind: null,
        eventTimestamp: null,
        state: "dead",
        reason: "not_json",
      } as const;
      const { seq } = await keep(inbox, numberedEntry(1, 0, { ...rejected, delivery }));
      expect(await erase(seq)).toEqual([seq]);
      await endErasure(inbox);
      expect(await inbox.delivery(seq)).toBeUndefined();
    });
  });
}
