import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { NewEntry } from "../../src/inbox/append.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import {
  AT,
  claimOne,
  keep,
  numberedEntry,
  sampleKey,
  sampleRunner,
  settlementOf,
} from "./entries.ts";

/** Contract tests for processes on one inbox that have handlers for different kinds. */
export function describeRoles(makeInbox: () => Inbox): void {
  describe("entries for several processes:", () => {
    let inbox: Inbox;

    beforeEach(async () => {
      inbox = makeInbox();
      await inbox.open();
    });

    afterEach(() => inbox.close());

    const add = (number: number, kind: string | null, parts: Partial<NewEntry> = {}) =>
      keep(inbox, numberedEntry(number, number, { kind, ...parts }));
    const claim = (exceptKinds: readonly string[], now = AT + 1000) =>
      inbox.claim({ now, limit: 10, leaseTime: 1000, exceptKinds });
    const kindsOf = (entries: readonly { kind: string | null }[]) =>
      entries.map(({ kind }) => kind);
    /** An entry that waits for a process with a handler, due a minute later. */
    const park = async (
      number: number,
      kind: string,
      { reason = "no_handler", ...parts }: Partial<NewEntry> = {},
    ) => {
      const { seq } = await add(number, kind, parts);
      const [entry] = await inbox.claim({ now: AT + 1000, limit: 1, leaseTime: 1000, only: seq });
      if (entry === undefined) throw new Error("expected a claimed entry, got none");
      const waits = { state: "waiting", reason, runAt: AT + 60_000, uncount: true } as const;
      expect(await inbox.settle(settlementOf(entry, waits), AT + 1000)).toBe(true);
      return seq;
    };

    const AWAITS = { reason: "awaits_handler" };

    it("a claim leaves the kinds of other processes alone", async () => {
      await add(1, "lead.created");
      await add(2, "payment.received");
      await add(3, null);
      await add(4, "lead.updated");
      expect(kindsOf(await claim(["lead.created", "payment.received"]))).toEqual([
        null,
        "lead.updated",
      ]);
      expect(kindsOf(await claim([]))).toEqual(["lead.created", "payment.received"]);
    });

    it("a claim leaves kinds with unusual characters alone", async () => {
      const kind = "lead\0created\u{1F600}\ud800";
      await add(1, kind);
      expect(await claim([kind])).toEqual([]);
      expect(await claim(["lead"])).toHaveLength(1);
    });

    it("a claim passes by any number of entries that are left to others", async () => {
      for (let number = 1; number <= 30; number++) await add(number, "lead.created");
      await add(31, "payment.received");
      const claimed = await inbox.claim({
        now: AT + 1000,
        limit: 1,
        ahead: 2,
        leaseTime: 1000,
        exceptKinds: ["lead.created"],
      });
      expect(kindsOf(claimed)).toEqual(["payment.received"]);
    });

    it("a claim by number takes an entry of any kind", async () => {
      const { seq } = await add(1, "lead.created");
      const request = {
        now: AT,
        limit: 1,
        leaseTime: 1000,
        only: seq,
        exceptKinds: ["lead.created"],
      };
      expect(await inbox.claim(request)).toHaveLength(1);
    });

    it("an entry whose lease has ended is left to others too", async () => {
      await add(1, "lead.created");
      await claimOne(inbox, AT + 1);
      expect(await claim(["lead.created"], AT + 5000)).toEqual([]);
      expect(await claim([], AT + 5000)).toHaveLength(1);
    });

    it("nextRunAt does not consider the kinds of other processes", async () => {
      await add(1, "lead.created");
      await add(2, "payment.received");
      expect(await inbox.nextRunAt({ exceptKinds: ["lead.created"] })).toBe(AT + 2);
      expect(
        await inbox.nextRunAt({ exceptKinds: ["lead.created", "payment.received"] }),
      ).toBeUndefined();
    });

    it("a claimed entry says why it waited", async () => {
      const seq = await park(1, "lead.created");
      expect(await inbox.claim({ now: AT + 59_999, limit: 10, leaseTime: 1000 })).toEqual([]);
      const waited = await claimOne(inbox, AT + 60_000);
      expect(waited).toMatchObject({ seq, reason: "no_handler", dueAt: AT + 60_000, attempts: 1 });
      await add(2, "lead.created");
      expect((await claimOne(inbox, AT + 60_001)).reason ?? null).toBeNull();
    });

    it("an entry that waits for a handler holds back later ones of its order key", async () => {
      await park(1, "lead.created", { orderKey: "a" });
      await add(2, "payment.received", { orderKey: "a" });
      await add(3, "payment.received", { orderKey: "b" });
      expect(kindsOf(await claim([]))).toEqual(["payment.received"]);
      expect(await claim([], AT + 60_000)).toMatchObject([
        { orderKey: "b" },
        { kind: "lead.created" },
      ]);
    });

    describe("a process that registers", () => {
      it("makes entries due that wait for a handler of its kinds", async () => {
        const first = await park(1, "lead.created");
        const second = await park(2, "lead.updated", AWAITS);
        await park(3, "payment.received");
        await inbox.register(sampleRunner({ kinds: ["lead.*"] }), AT + 2000);
        const claimed = await claim([], AT + 2000);
        expect(claimed.map(({ seq }) => seq)).toEqual([first, second]);
        expect(claimed.map(({ reason }) => reason ?? null)).toEqual([null, null]);
        await inbox.register(sampleRunner({ kinds: ["unknown"] }), AT + 2000);
        expect(await claim([], AT + 2000)).toHaveLength(1);
      });

      it("leaves what waits to others if it runs nothing, or has no handlers", async () => {
        await park(1, "lead.created");
        await inbox.register(sampleRunner({ role: "receive" }), AT + 2000);
        await inbox.register(sampleRunner({ kinds: [] }), AT + 2000);
        expect(await claim([], AT + 2000)).toEqual([]);
      });

      it("leaves entries of other sources alone", async () => {
        await park(1, "lead.created", { key: sampleKey({ source: "crm" }) });
        const both = { sources: ["service", "crm"], kinds: ["lead.*\tservice", "payment.*\tcrm"] };
        for (const runner of [sampleRunner(), sampleRunner(both)]) {
          await inbox.register(runner, AT + 2000);
          expect(await claim([], AT + 2000)).toEqual([]);
        }
        await inbox.register(sampleRunner({ sources: ["crm"] }), AT + 2000);
        expect(await claim([], AT + 2000)).toHaveLength(1);
      });

      it("leaves entries that wait for something else, or have ended, alone", async () => {
        await add(1, "lead.created");
        const failed = await claimOne(inbox, AT + 1);
        await inbox.settle(settlementOf(failed, { state: "failing", runAt: AT + 60_000 }), AT + 1);
        await add(2, "lead.created");
        const ended = await claimOne(inbox, AT + 2);
        await inbox.settle(
          settlementOf(ended, { state: "received", reason: "no_handler" }),
          AT + 2,
        );
        await inbox.register(sampleRunner(), AT + 2000);
        expect(await claim([], AT + 2000)).toEqual([]);
      });
    });

    it("backlog counts what has not ended, held back or not, up to a limit", async () => {
      await add(1, "lead.created", { orderKey: "a" });
      await add(2, "lead.created", { orderKey: "a" });
      await add(3, "lead.created", { key: sampleKey({ source: "crm", eventId: "evt_3" }) });
      const [first] = await claim([], AT + 10); // which marks what is held back
      const backlog = (limit: number, ...sources: readonly string[]) =>
        inbox.backlog?.({ sources, limit });
      expect(await backlog(10, "service")).toBe(2);
      expect(await backlog(10, "service", "crm")).toBe(3);
      expect(await backlog(2, "service", "crm")).toBe(2);
      expect(await backlog(10, "other")).toBe(0);
      if (first === undefined) throw new Error("expected a claimed entry, got none");
      await inbox.settle(settlementOf(first), AT + 10);
      expect(await backlog(10, "service")).toBe(1);
    });

    it("an open inbox without registered processes has no runners", async () => {
      expect((await inbox.runners?.()) ?? []).toEqual([]);
    });
  });
}
