import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AttemptRecord, EntryState } from "../../src/entries/index.ts";
import type { EntryFilter } from "../../src/inbox/entry-filter.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { describeClaimOfOne } from "./claim-one-contract.ts";
import {
  AT,
  claimOne,
  keep,
  numberedEntry,
  RUN,
  sampleDelivery,
  sampleEntry,
  sampleKey,
  settlementOf,
} from "./entries.ts";
import { describeErasing } from "./erase-contract.ts";
import { describeFailures } from "./failures-contract.ts";
import { describeOrder } from "./order-contract.ts";
import { describePauses } from "./pause-contract.ts";
import { describePruning } from "./pruning-contract.ts";
import { describeRoles } from "./roles-contract.ts";
import { describeSearch } from "./search-contract.ts";
import { describeSenders } from "./senders-contract.ts";
import { describeSources } from "./source-contract.ts";
import { describeWaits } from "./waits-contract.ts";

const RECORD: AttemptRecord = {
  ...RUN,
  handler: "payment.received:1",
  startedAt: AT + 1,
  duration: 2.25,
};

/** Contract tests for all inboxes. `makeInbox` returns an empty inbox that is not open yet. */
export function describeInbox(name: string, makeInbox: () => Inbox): void {
  describe(`${name} keeps the contract:`, () => {
    let inbox: Inbox;

    beforeEach(async () => {
      inbox = makeInbox();
      await inbox.open();
    });

    afterEach(() => inbox.close());

    describe("append", () => {
      it("stores a new entry as waiting, due on arrival", async () => {
        const body = Buffer.from("héllo");
        const appended = await keep(
          inbox,
          sampleEntry({ orderKey: "prop_1", delivery: sampleDelivery({ body }) }),
        );
        expect(appended).toMatchObject({
          seq: expect.any(Number),
          duplicate: false,
          state: "waiting",
        });
        expect(await inbox.list({})).toEqual([
          {
            seq: appended.seq,
            key: sampleKey(),
            kind: "payment.received",
            eventTimestamp: AT - 5000,
            state: "waiting",
            reason: null,
            problems: [],
            orderKey: "prop_1",
            receivedAt: AT,
            runAt: AT,
            attempts: 0,
            duplicates: 0,
            lastSeenAt: AT,
            settledAt: null,
            finishedHandlers: [],
            waits: [],
            bodyHash: createHash("sha256").update(body).digest("hex"),
            bodyLength: 6,
          },
        ]);
      });

      it("stores a dead entry with its reason, settled on arrival, never due", async () => {
        const dead = sampleEntry({
          kind: null,
          eventTimestamp: null,
          state: "dead",
          reason: "invalid_json",
        });
        await keep(inbox, dead);
        expect(await inbox.list({})).toMatchObject([
          {
            kind: null,
            eventTimestamp: null,
            state: "dead",
            reason: "invalid_json",
            settledAt: AT,
          },
        ]);
        expect(await inbox.nextRunAt()).toBeUndefined();
        expect(await inbox.claim({ now: AT + 1e9, limit: 10, leaseTime: 1 })).toEqual([]);
      });

      it("gives back no header that HTTP could not have carried, which another program may have written", async () => {
        const headers = {
          "x-plain": "a\tb é",
          "x-list": ["a", "b"],
          "x-name\ntouch hacked #": "a",
          "x name": "a",
          "x-line": "a\r\nx-other: b",
          "x-part": ["a", "b\u0000"],
          "x-number": 7 as unknown as string,
          "": "a",
        };
        const { seq } = await keep(inbox, sampleEntry({ delivery: sampleDelivery({ headers }) }));
        const carried = { "x-plain": "a\tb é", "x-list": ["a", "b"] };
        expect((await inbox.delivery(seq))?.headers).toEqual(carried);
        expect((await claimOne(inbox)).delivery.headers).toEqual(carried);
      });

      it("numbers entries in order of arrival", async () => {
        const seqs: number[] = [];
        for (const number of [3, 1, 2]) seqs.push((await keep(inbox, numberedEntry(number))).seq);
        expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
        expect(new Set(seqs).size).toBe(3);
      });

      it("counts the same key as a duplicate and keeps the first delivery", async () => {
        const { seq } = await keep(inbox, sampleEntry());
        const delivery = sampleDelivery({
          body: Buffer.from("re-serialised"),
          receivedAt: AT + 9000,
        });
        const again = await keep(inbox, sampleEntry({ delivery }));
        expect(again).toEqual({ seq, duplicate: true, state: "waiting" });
        expect(await inbox.list({})).toMatchObject([
          { seq, duplicates: 1, lastSeenAt: AT + 9000, receivedAt: AT, runAt: AT },
        ]);
        expect(textOf((await inbox.delivery(seq))?.body)).toBe(textOf(sampleDelivery().body));
      });

      it("never moves last-seen back", async () => {
        await keep(inbox, sampleEntry());
        await keep(inbox, sampleEntry({ delivery: sampleDelivery({ receivedAt: AT - 60_000 }) }));
        expect(await inbox.list({})).toMatchObject([{ duplicates: 1, lastSeenAt: AT }]);
      });

      it.each(["waiting", "running", "handled", "dead", "received"] as const)(
        "[case 57] counts a duplicate of a %s entry without running it",
        async (state) => {
          const seq = await entryIn(inbox, state);
          const [before] = await inbox.list({ seq });
          const again = await keep(
            inbox,
            sampleEntry({ delivery: sampleDelivery({ receivedAt: AT + 50 }) }),
          );
          expect(again).toEqual({ seq, duplicate: true, state });
          expect(await inbox.list({})).toEqual([{ ...before, duplicates: 1, lastSeenAt: AT + 50 }]);
        },
      );

      it.each([
        ["[case 60] source", { source: "other" }],
        ["timestamp", { timestamp: AT - 4999 }],
        ["event id", { eventId: "evt_2" }],
        ["event id that differs in case", { eventId: "EVT_1" }],
        ["event id with a trailing space", { eventId: "evt_1 " }],
        ["[case 36] event id that goes on after a NUL", { eventId: "evt_1\u0000" }],
      ])("stores the same event with another %s as another entry", async (_, parts) => {
        const { seq } = await keep(inbox, sampleEntry());
        const other = await keep(inbox, sampleEntry({ key: sampleKey(parts) }));
        expect(other.duplicate).toBe(false);
        expect(other.seq).not.toBe(seq);
      });

      it("[case 56] stores one entry and counts 199 duplicates for 200 concurrent appends", async () => {
        const all = await Promise.all(
          Array.from({ length: 200 }, () => keep(inbox, sampleEntry())),
        );
        expect(all.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
        expect(new Set(all.map(({ seq }) => seq)).size).toBe(1);
        expect(await inbox.list({})).toMatchObject([{ duplicates: 199 }]);
      });

      it("refuses what its columns refuse, and keeps the other entries of the same turn", async () => {
        // An integer column refuses a fraction of a millisecond.
        const broken = numberedEntry(2, 0, { delivery: sampleDelivery({ receivedAt: AT + 0.5 }) });
        const results = await Promise.allSettled(
          [numberedEntry(1), broken, numberedEntry(3)].map((entry) => keep(inbox, entry)),
        );
        expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
        expect((await inbox.list({})).map(({ key }) => key.eventId)).toEqual(["evt_1", "evt_3"]);
      });

      it.each([-1, -2, 0])("accepts the key timestamp %d", async (timestamp) => {
        await keep(inbox, sampleEntry({ key: sampleKey({ timestamp }) }));
        expect(await inbox.list({})).toMatchObject([{ key: { timestamp } }]);
        expect(await keep(inbox, sampleEntry({ key: sampleKey({ timestamp }) }))).toMatchObject({
          duplicate: true,
        });
      });
    });

    describe("append, with a lease", () => {
      const lease = { token: "lease-1", until: AT + 1000 };

      it("stores a new entry as if it had been claimed at that moment", async () => {
        const { seq, ...appended } = await keep(inbox, sampleEntry({ lease }));
        expect(appended).toEqual({ duplicate: false, state: "waiting", leased: true });
        const running = { state: "running", attempts: 1, runAt: AT + 1000 };
        expect(await inbox.list({})).toMatchObject([{ seq, ...running }]);
        expect(await inbox.claim({ now: AT + 999, limit: 10, leaseTime: 10 })).toEqual([]);
        expect(await inbox.nextRunAt()).toBe(AT + 1000);
        expect(await inbox.renew([{ seq, lease: "lease-1" }], AT + 2000)).toEqual([]);
        expect(await inbox.settle(settlementOf({ seq, lease: "lease-1" }), AT + 5)).toBe(true);
        expect(await inbox.list({})).toMatchObject([
          { state: "handled", attempts: 1, settledAt: AT + 5 },
        ]);
      });

      it("[case 75] lets others claim it once the lease has expired, and refuses its completion", async () => {
        const { seq } = await keep(inbox, sampleEntry({ lease }));
        expect(await claimOne(inbox, AT + 1000)).toMatchObject({ seq, attempts: 2 });
        expect(await inbox.settle(settlementOf({ seq, lease: "lease-1" }), AT)).toBe(false);
      });

      it("does not lease a known event", async () => {
        const { seq } = await keep(inbox, sampleEntry());
        const again = await keep(inbox, sampleEntry({ lease }));
        expect(again).toEqual({ seq, duplicate: true, state: "waiting" });
        expect(await inbox.list({})).toMatchObject([
          { state: "waiting", attempts: 0, duplicates: 1 },
        ]);
      });
    });

    describe("touch", () => {
      it("counts a duplicate of a known key", async () => {
        const { seq } = await keep(inbox, sampleEntry());
        expect(await inbox.touch(sampleKey(), AT + 7)).toEqual({
          seq,
          duplicate: true,
          state: "waiting",
        });
        expect(await inbox.list({})).toMatchObject([{ duplicates: 1, lastSeenAt: AT + 7 }]);
      });

      it("does nothing for an unknown key", async () => {
        await keep(inbox, sampleEntry());
        expect(await inbox.touch(sampleKey({ source: "other" }), AT)).toBeUndefined();
        expect(await inbox.touch(sampleKey({ timestamp: AT }), AT)).toBeUndefined();
        expect(await inbox.list({})).toMatchObject([{ duplicates: 0 }]);
      });
    });

    describe("claim", () => {
      it("leases a due entry with its delivery and counts the attempt", async () => {
        const { seq } = await keep(inbox, sampleEntry());
        const [claimed, ...others] = await inbox.claim({ now: AT + 10, limit: 5, leaseTime: 300 });
        expect(others).toEqual([]);
        expect(claimed).toMatchObject({ seq, attempts: 1, runAt: AT + 310 });
        expect(claimed?.lease).toEqual(expect.any(String));
        expect(textOf(claimed?.delivery.body)).toBe(textOf(sampleDelivery().body));
        expect(await inbox.list({})).toMatchObject([
          { state: "running", attempts: 1, runAt: AT + 310 },
        ]);
      });

      it("returns the longest due entries first, then by arrival, up to the limit", async () => {
        for (const [number, later] of [
          [1, 20],
          [2, 0],
          [3, 20],
          [4, 10],
        ] as const) {
          await keep(inbox, numberedEntry(number, later));
        }
        const ids = async () =>
          (await inbox.claim({ now: AT + 100, limit: 3, leaseTime: 1000 })).map(
            ({ key }) => key.eventId,
          );
        expect(await ids()).toEqual(["evt_2", "evt_4", "evt_1"]);
        expect(await ids()).toEqual(["evt_3"]);
        expect(await ids()).toEqual([]);
      });

      it("returns more ahead, but only entries that were never claimed before", async () => {
        for (const number of [1, 2, 3, 4, 5]) await keep(inbox, numberedEntry(number, number));
        for (const entry of await inbox.claim({ now: AT + 3, limit: 3, leaseTime: 10 })) {
          const runAt = entry.runAt - 10; // the original time: 1, 2 and 3 failed once
          await inbox.settle(settlementOf(entry, { state: "failing", runAt }), AT + 3);
        }
        const ids = async (limit: number, ahead: number) =>
          (await inbox.claim({ now: AT + 9, limit, ahead, leaseTime: 1000 })).map(
            ({ key }) => key.eventId,
          );
        expect(await ids(1, 0)).toEqual(["evt_1"]);
        expect(await ids(0, 4)).toEqual(["evt_4", "evt_5"]);
        expect(await ids(0, 4)).toEqual([]);
        expect(await ids(5, 4)).toEqual(["evt_2", "evt_3"]);
      });

      it("ignores entries that are not due yet", async () => {
        await keep(inbox, numberedEntry(1, 500));
        expect(await inbox.claim({ now: AT + 499, limit: 5, leaseTime: 10 })).toEqual([]);
        expect(await inbox.claim({ now: AT + 500, limit: 5, leaseTime: 10 })).toHaveLength(1);
      });

      it("takes over an entry whose lease has expired, with a new lease, and counts that attempt too", async () => {
        await keep(inbox, sampleEntry());
        const first = await claimOne(inbox, AT, 100);
        expect(await inbox.claim({ now: AT + 99, limit: 5, leaseTime: 100 })).toEqual([]);
        const second = await claimOne(inbox, AT + 100, 100);
        expect(second).toMatchObject({ seq: first.seq, attempts: 2, runAt: AT + 200 });
        expect(second.lease).not.toBe(first.lease);
      });

      it("returns each entry to only one of many concurrent claims", async () => {
        for (let number = 0; number < 30; number++) await keep(inbox, numberedEntry(number));
        const claims = await Promise.all(
          Array.from({ length: 10 }, () => inbox.claim({ now: AT, limit: 7, leaseTime: 1000 })),
        );
        const seqs = claims.flat().map(({ seq }) => seq);
        expect(seqs).toHaveLength(30);
        expect(new Set(seqs).size).toBe(30);
        expect(new Set(claims.flat().map(({ lease }) => lease)).size).toBe(30);
      });

      it("ignores entries that have ended", async () => {
        for (const state of ["handled", "dead", "received"] as const) {
          await entryIn(inbox, state, numberedEntry(1, 0, { key: sampleKey({ eventId: state }) }));
        }
        expect(await inbox.claim({ now: AT + 1e9, limit: 10, leaseTime: 1 })).toEqual([]);
      });
    });

    describe("renew", () => {
      it("extends a lease", async () => {
        await keep(inbox, sampleEntry());
        const { seq, lease } = await claimOne(inbox, AT, 100);
        expect(await inbox.renew([{ seq, lease }], AT + 500)).toEqual([]);
        expect(await inbox.claim({ now: AT + 499, limit: 1, leaseTime: 1 })).toEqual([]);
        expect(await inbox.claim({ now: AT + 500, limit: 1, leaseTime: 1 })).toHaveLength(1);
      });

      it("returns the lost leases, and does not change their entries", async () => {
        await keep(inbox, numberedEntry(1));
        await keep(inbox, numberedEntry(2));
        const [ours, taken] = await inbox.claim({ now: AT, limit: 2, leaseTime: 100 });
        if (ours === undefined || taken === undefined) throw new Error("expected two entries");
        await inbox.renew([ours], AT + 1000);
        const thief = await claimOne(inbox, AT + 100, 100);
        expect(thief.seq).toBe(taken.seq);
        const unknown = { seq: 999, lease: ours.lease };
        const swapped = { seq: ours.seq, lease: taken.lease };
        expect(await inbox.renew([ours, taken, unknown, swapped], AT + 5000)).toEqual([
          taken.seq,
          999,
          ours.seq,
        ]);
        expect(await inbox.list({ seq: taken.seq })).toMatchObject([{ runAt: AT + 200 }]);
        expect(await inbox.list({ seq: ours.seq })).toMatchObject([{ runAt: AT + 5000 }]);
      });

      it("reports the lease of a settled entry as lost", async () => {
        await keep(inbox, sampleEntry());
        const entry = await claimOne(inbox);
        await inbox.settle(settlementOf(entry), AT);
        expect(await inbox.renew([entry], AT + 5000)).toEqual([entry.seq]);
        expect(await inbox.list({})).toMatchObject([{ state: "handled", runAt: AT }]);
      });

      it("accepts an empty list", async () => {
        expect(await inbox.renew([], AT)).toEqual([]);
      });
    });

    describe("settle", () => {
      it.each([
        ["handled", null, AT + 5],
        ["dead", "attempts_exhausted", AT + 5],
        ["received", "no_handler", AT + 5],
        ["failing", null, null],
        ["waiting", "target_away", null],
      ] as const)("ends a lease as %s", async (state, reason, settledAt) => {
        await keep(inbox, sampleEntry());
        const entry = await claimOne(inbox);
        const finishedHandlers = ["a", "b"];
        const settlement = settlementOf(entry, { state, reason, runAt: AT + 77, finishedHandlers });
        expect(await inbox.settle(settlement, AT + 5)).toBe(true);
        expect(await inbox.list({})).toMatchObject([
          { state, reason, settledAt, finishedHandlers, runAt: AT + 77, attempts: 1 },
        ]);
      });

      it("stores the records of every run exactly, oldest first", async () => {
        await keep(inbox, sampleEntry());
        const records: AttemptRecord[] = [
          { ...RECORD, handler: "z", outcome: "error", error: "naïve 😀" },
          { ...RECORD, handler: "a", duration: 0.01, note: "200 OK\nnaïve \u0000 😀" },
        ];
        const first = await claimOne(inbox);
        await inbox.settle(settlementOf(first, { state: "failing", records }), AT);
        const second = await claimOne(inbox);
        const last: AttemptRecord = {
          ...RECORD,
          attempt: 2,
          handler: "z",
          outcome: "timeout",
          error: "late",
        };
        await inbox.settle(settlementOf(second, { records: [last] }), AT);
        expect(await inbox.attempts(first.seq)).toEqual([...records, last]);
      });

      it("stores the runs of an entry whose handlers have all succeeded, after those of earlier attempts", async () => {
        await keep(inbox, sampleEntry());
        const first = await claimOne(inbox);
        const failed: AttemptRecord = { ...RECORD, outcome: "error", error: "no" };
        await inbox.settle(settlementOf(first, { state: "failing", records: [failed] }), AT);
        const records: AttemptRecord[] = [
          { ...RECORD, attempt: 2, handler: 'a "\u0000 😀' },
          { ...RECORD, attempt: 2, handler: "b", duration: 12.345678901234567 },
        ];
        const finishedHandlers = records.map(({ handler }) => handler);
        const last = settlementOf(await claimOne(inbox), {
          records,
          finishedHandlers,
          runAt: AT + 7,
        });
        expect(await inbox.settle(last, AT + 5)).toBe(true);
        expect(await inbox.attempts(first.seq)).toEqual([failed, ...records]);
        const entries = await inbox.list({});
        expect(entries).toMatchObject([
          {
            state: "handled",
            reason: null,
            finishedHandlers,
            settledAt: AT + 5,
            runAt: AT + 7,
            attempts: 2,
          },
        ]);
        const [outline] = (await inbox.outlines?.({ entries, bodyBytes: 1 })) ?? [];
        if (outline !== undefined)
          expect(outline.lastRuns).toMatchObject(records.map(({ handler }) => ({ handler })));
        expect(await inbox.settle(last, AT + 6)).toBe(true);
        expect(await inbox.settle({ ...last, lease: "another" }, AT + 6)).toBe(false);
        expect(await inbox.list({})).toEqual(entries);
      });

      it("returns a failing entry's finished handlers with its next claim", async () => {
        await keep(inbox, sampleEntry());
        const entry = await claimOne(inbox);
        await inbox.settle(settlementOf(entry, { state: "failing", finishedHandlers: ["a"] }), AT);
        expect((await claimOne(inbox)).finishedHandlers).toEqual(["a"]);
      });

      it("does not count the attempt if asked not to", async () => {
        await keep(inbox, sampleEntry());
        await inbox.settle(settlementOf(await claimOne(inbox), { state: "failing" }), AT);
        const entry = await claimOne(inbox);
        expect(entry.attempts).toBe(2);
        await inbox.settle(settlementOf(entry, { state: "waiting", uncount: true }), AT);
        expect(await inbox.list({})).toMatchObject([{ attempts: 1 }]);
      });

      it.each([
        ["a made-up lease", { lease: "made-up" }],
        ["an empty lease", { lease: "" }],
        ["another entry's number", { seq: 999 }],
      ])("refuses %s and changes nothing", async (_, parts) => {
        await keep(inbox, sampleEntry());
        const entry = await claimOne(inbox);
        const before = await inbox.list({});
        expect(await inbox.settle(settlementOf(entry, { ...parts, records: [RECORD] }), AT)).toBe(
          false,
        );
        expect(await inbox.list({})).toEqual(before);
        expect(await inbox.attempts(entry.seq)).toEqual([]);
      });

      it("[case 74] refuses a completion whose lease was taken over, and accepts the new owner's", async () => {
        await keep(inbox, sampleEntry());
        const late = await claimOne(inbox, AT, 100);
        const owner = await claimOne(inbox, AT + 100, 100);
        expect(await inbox.settle(settlementOf(late, { records: [RECORD] }), AT)).toBe(false);
        expect(await inbox.list({})).toMatchObject([{ state: "running" }]);
        expect(await inbox.attempts(late.seq)).toEqual([]);
        expect(await inbox.settle(settlementOf(owner), AT)).toBe(true);
      });

      it("accepts a completion after the lease has expired if the entry was not taken over", async () => {
        await keep(inbox, sampleEntry());
        const entry = await claimOne(inbox, AT, 100);
        expect(await inbox.settle(settlementOf(entry), AT + 10_000)).toBe(true);
      });

      it.each(["handled", "dead", "received", "failing"] as const)(
        "accepts the completion of a %s entry again, as after a lost connection, and changes nothing",
        async (state) => {
          await keep(inbox, sampleEntry());
          const entry = await claimOne(inbox);
          const settlement = settlementOf(entry, { state, runAt: AT + 1000, records: [RECORD] });
          expect(await inbox.settle(settlement, AT)).toBe(true);
          const before = await inbox.list({});
          expect(await inbox.settle(settlement, AT + 5)).toBe(true);
          expect(await inbox.list({})).toEqual(before);
          expect(await inbox.attempts(entry.seq)).toHaveLength(1);
          expect(await inbox.renew([entry], AT + 1e6)).toEqual([entry.seq]);
          expect(await inbox.settle({ ...settlement, lease: "another" }, AT)).toBe(false);
          const otherwise = {
            ...settlement,
            state: state === "dead" ? "received" : "dead",
          } as const;
          expect(await inbox.settle(otherwise, AT)).toBe(false);
        },
      );

      it("refuses to settle twice with different results", async () => {
        await keep(inbox, sampleEntry());
        const entry = await claimOne(inbox);
        expect(await inbox.settle(settlementOf(entry), AT)).toBe(true);
        expect(await inbox.settle(settlementOf(entry, { state: "dead", reason: "x" }), AT)).toBe(
          false,
        );
        expect(await inbox.list({})).toMatchObject([{ state: "handled", reason: null }]);
      });
    });

    describe("nextRunAt", () => {
      it("is undefined for an empty inbox and for one in which all entries have ended", async () => {
        expect(await inbox.nextRunAt()).toBeUndefined();
        await entryIn(inbox, "handled");
        expect(await inbox.nextRunAt()).toBeUndefined();
      });

      it("is the earliest of due times and lease ends", async () => {
        await keep(inbox, numberedEntry(1));
        await keep(inbox, numberedEntry(2, 400));
        expect(await inbox.nextRunAt()).toBe(AT);
        const entry = await claimOne(inbox, AT, 300);
        expect(await inbox.nextRunAt()).toBe(AT + 300);
        await inbox.settle(settlementOf(entry, { state: "failing", runAt: AT + 900 }), AT);
        expect(await inbox.nextRunAt()).toBe(AT + 400);
      });
    });

    describe("retry", () => {
      it.each(["dead", "received"] as const)(
        "makes a %s entry wait again, and resets its attempts",
        async (state) => {
          const seq = await entryIn(inbox, state);
          expect(await inbox.retry({}, AT + 60)).toMatchObject({ ended: 1 });
          expect(await inbox.list({})).toMatchObject([
            { seq, state: "waiting", reason: null, attempts: 0, runAt: AT + 60, settledAt: null },
          ]);
          expect((await claimOne(inbox, AT + 60)).attempts).toBe(1);
        },
      );

      it("makes a waiting or failing entry due now, and leaves its attempts", async () => {
        await keep(inbox, sampleEntry());
        const entry = await claimOne(inbox);
        await inbox.settle(settlementOf(entry, { state: "failing", runAt: AT + 900 }), AT);
        await keep(inbox, numberedEntry(2, 0, { runAt: AT + 900 }));
        expect(await inbox.retry({}, AT + 60)).toEqual({ due: 2, ended: 0 });
        expect(await inbox.list({})).toMatchObject([
          { state: "failing", attempts: 1, runAt: AT + 60 },
          { state: "waiting", attempts: 0, runAt: AT + 60 },
        ]);
      });

      it.each(["running", "handled"] as const)(
        "does not change a %s entry, even if the filter includes it",
        async (state) => {
          const seq = await entryIn(inbox, state);
          const before = await inbox.list({});
          expect(await inbox.retry({ seq }, AT + 60)).toMatchObject({ ended: 0 });
          expect(await inbox.retry({ states: [state] }, AT + 60)).toMatchObject({ ended: 0 });
          expect(await inbox.list({})).toEqual(before);
        },
      );

      it("keeps the problems of data until the entry is retried, and new ones when it is settled", async () => {
        const problems = [{ field: "data.surface", message: "expected number, got string" }];
        const parts = { state: "dead", reason: "invalid_data", problems } as const;
        await keep(inbox, sampleEntry(parts));
        expect(await inbox.list({})).toMatchObject([{ reason: "invalid_data", problems }]);
        await inbox.retry({}, AT);
        expect(await inbox.list({})).toMatchObject([{ state: "waiting", problems: [] }]);
        const others = [{ field: "data.\u0000\ud800", message: "is missing" }];
        const claimed = await claimOne(inbox);
        await inbox.settle(settlementOf(claimed, { ...parts, problems: others }), AT);
        expect(await inbox.list({})).toMatchObject([{ reason: "invalid_data", problems: others }]);
      });

      it("[case 79] retries an entry once if called twice", async () => {
        await entryIn(inbox, "dead");
        expect(await inbox.retry({}, AT)).toMatchObject({ ended: 1 });
        expect(await inbox.retry({}, AT)).toMatchObject({ ended: 0 });
      });

      it("retries only entries that match the filter", async () => {
        for (const [number, kind] of [
          [1, "payment.received"],
          [2, "payment.overdue"],
          [3, "lead.created"],
        ] as const) {
          await keep(
            inbox,
            numberedEntry(number, 0, { kind, state: "dead", reason: "invalid_data" }),
          );
        }
        expect(await inbox.retry({ kinds: ["payment.*"] }, AT)).toMatchObject({ ended: 2 });
        expect(await inbox.list({ states: ["dead"] })).toMatchObject([{ kind: "lead.created" }]);
        expect(await inbox.retry({ eventId: "evt_3", states: ["received"] }, AT)).toMatchObject({
          ended: 0,
        });
        expect(await inbox.retry({ eventId: "evt_3", states: ["dead"] }, AT)).toMatchObject({
          ended: 1,
        });
      });

      it("retries the newest entries up to the limit", async () => {
        for (const number of [1, 2, 3]) {
          await keep(
            inbox,
            numberedEntry(number, number, { state: "dead", reason: "invalid_data" }),
          );
        }
        await keep(inbox, numberedEntry(4, 4));
        expect(await inbox.retry({ limit: 2 }, AT)).toMatchObject({ ended: 2 });
        const [left, ...others] = await inbox.list({ states: ["dead"] });
        expect(others).toEqual([]);
        expect(left?.key.eventId).toBe("evt_1");
      });

      it("keeps the records and finished handlers of earlier attempts", async () => {
        await keep(inbox, sampleEntry());
        const entry = await claimOne(inbox);
        const ended = {
          state: "dead",
          reason: "x",
          records: [RECORD],
          finishedHandlers: ["a"],
        } as const;
        await inbox.settle(settlementOf(entry, ended), AT);
        await inbox.retry({}, AT);
        expect(await inbox.attempts(entry.seq)).toEqual([RECORD]);
        expect((await claimOne(inbox)).finishedHandlers).toEqual(["a"]);
      });
    });

    describe("list", () => {
      const ids = async (filter: EntryFilter) =>
        (await inbox.list(filter)).map(({ key }) => key.eventId);

      beforeEach(async () => {
        await keep(inbox, numberedEntry(1, 0, { kind: "payment.received" }));
        await keep(
          inbox,
          numberedEntry(2, 10, { kind: "payment.overdue", state: "dead", reason: "x" }),
        );
        await keep(inbox, numberedEntry(3, 20, { kind: "lead.created" }));
        await keep(
          inbox,
          numberedEntry(30, 30, { kind: null, state: "dead", reason: "invalid_json" }),
        );
        await keep(inbox, numberedEntry(4, 40, { kind: "paymentx" }));
      });

      it.each<[string, EntryFilter, readonly number[]]>([
        ["nothing", {}, [1, 2, 3, 30, 4]],
        ["one state", { states: ["dead"] }, [2, 30]],
        ["several states", { states: ["dead", "waiting", "failing"] }, [1, 2, 3, 30, 4]],
        ["no state", { states: [] }, []],
        ["a kind", { kinds: ["lead.created"] }, [3]],
        ["a family", { kinds: ["payment.*"] }, [1, 2]],
        ["kinds and families", { kinds: ["lead.created", "payment.*"] }, [1, 2, 3]],
        ["all kinds", { kinds: ["*"] }, [1, 2, 3, 30, 4]],
        ["an unknown kind", { kinds: ["visit.booked"] }, []],
        ["a kind with SQL wildcards", { kinds: ["p%", "p_yment.received", "payment%.*"] }, []],
        ["since", { since: AT + 20 }, [3, 30, 4]],
        ["until", { until: AT + 20 }, [1, 2]],
        ["since and until", { since: AT + 10, until: AT + 30 }, [2, 3]],
        ["an event id", { eventId: "evt_4" }, [4]],
        ["a prefix of an event id", { eventId: "evt_3" }, [3, 30]],
        ["an empty prefix", { eventId: "" }, [1, 2, 3, 30, 4]],
        ["an event id with an SQL wildcard", { eventId: "evt%" }, []],
        ["an event id in another case", { eventId: "EVT_4" }, []],
        ["a limit: the newest, oldest first", { limit: 2 }, [30, 4]],
        ["a limit beyond the end", { limit: 99 }, [1, 2, 3, 30, 4]],
        ["a limit with a filter", { states: ["waiting", "failing"], limit: 2 }, [3, 4]],
        [
          "all of them",
          { states: ["dead"], kinds: ["payment.*"], since: AT, until: AT + 11, eventId: "evt" },
          [2],
        ],
      ])("filters by %s", async (_, filter, numbers) => {
        expect(await ids(filter)).toEqual(numbers.map((number) => `evt_${number}`));
      });

      it("filters by number", async () => {
        const [first] = await inbox.list({});
        expect(await ids({ seq: first?.seq ?? 0 })).toEqual(["evt_1"]);
        expect(await ids({ seq: 999 })).toEqual([]);
      });

      it("filters by numbers, and before and after a number", async () => {
        const [number = 0, two = 0, three = 0] = (await inbox.list({})).map(({ seq }) => seq);
        expect(await ids({ seqs: [three, number, 999] })).toEqual(["evt_1", "evt_3"]);
        expect(await ids({ seqs: [] })).toEqual([]);
        expect(await ids({ after: number, before: three })).toEqual(["evt_2"]);
        expect(await ids({ before: three, limit: 1 })).toEqual(["evt_2"]);
        expect(await ids({ after: two })).toEqual(["evt_3", "evt_30", "evt_4"]);
        expect(await inbox.retry({ seqs: [number, three] }, AT)).toMatchObject({ ended: 0 });
      });

      it("filters by text in the event id or body, ignoring ASCII case, in any bytes", async () => {
        const body = Buffer.concat([Buffer.from([0xff, 0x00]), Buffer.from("Straße 100%_ Nº")]);
        await keep(inbox, numberedEntry(7, 50, { delivery: sampleDelivery({ body }) }));
        for (const text of ["straße", "STRAßE 100%_", "0%_ nº", "Evt_7"]) {
          expect([text, await ids({ text })]).toEqual([text, ["evt_7"]]);
        }
        expect(await ids({ text: "STRASSE" })).toEqual([]);
        expect(await ids({ text: "%" })).toEqual(["evt_7"]);
        expect(await ids({ text: '"event":"payment.received"', limit: 2 })).toEqual([
          "evt_30",
          "evt_4",
        ]);
        expect(await ids({ text: "evt_3", states: ["dead"] })).toEqual(["evt_30"]);
      });
    });

    describe("delivery", () => {
      it("returns method, target, headers and all 256 byte values unchanged", async () => {
        const delivery = sampleDelivery({
          method: "POST",
          target: "/hooks?x=%20'\"",
          headers: { "x-a": "é'\"\\", "set-cookie": ["a=1", "b=2"] },
          body: Uint8Array.from({ length: 512 }, (_, index) => index % 256),
          receivedAt: AT + 3,
        });
        const { seq } = await keep(inbox, sampleEntry({ delivery }));
        const kept = await inbox.delivery(seq);
        expect(kept).toMatchObject({
          method: delivery.method,
          target: delivery.target,
          receivedAt: AT + 3,
        });
        expect(kept?.headers).toEqual(delivery.headers);
        expect(hexOf(kept?.body)).toBe(hexOf(delivery.body));
        expect(hexOf((await claimOne(inbox, AT + 3)).delivery.body)).toBe(hexOf(delivery.body));
      });

      it.each([
        ["[case 11] an empty body", Buffer.alloc(0)],
        ["[case 36] NUL bytes", Buffer.from("a\u0000b\u0000")],
        ["[case 24] bytes that are not UTF-8", Buffer.from([0xff, 0xfe, 0x80])],
        ["[case 23] a byte order mark", Buffer.from("\ufeff{}")],
        ["1 MiB", Buffer.alloc(1_048_576, 0xab)],
        ["a view into a larger buffer", Buffer.from("..body..").subarray(2, 6)],
      ])("returns %s unchanged", async (_, body) => {
        const { seq } = await keep(inbox, sampleEntry({ delivery: sampleDelivery({ body }) }));
        expect(hexOf((await inbox.delivery(seq))?.body)).toBe(hexOf(body));
        expect(await inbox.list({})).toMatchObject([
          {
            bodyLength: body.byteLength,
            bodyHash: createHash("sha256").update(body).digest("hex"),
          },
        ]);
        const [outline] =
          (await inbox.outlines?.({ entries: await inbox.list({}), bodyBytes: 8 })) ?? [];
        if (outline === undefined) return;
        expect(outline.bodyStart).toBeInstanceOf(Uint8Array);
        expect(hexOf(outline.bodyStart)).toBe(hexOf(body.subarray(0, 8)));
      });

      it("is undefined for an unknown entry", async () => {
        expect(await inbox.delivery(999)).toBeUndefined();
      });
    });

    it.each([
      ["quotes, escapes, other planes and right-to-left text", "😀.b'\"\\\u001b[2J\u202e"],
      ["a control character at its start", "\u0001b"],
      ["a NUL", "a\u0000b"],
      ["half a surrogate pair", "a\ud800"],
    ])("[case 36] stores and finds a text with %s", async (_, text) => {
      const key = sampleKey({ source: text, eventId: text });
      await keep(inbox, sampleEntry({ kind: text, orderKey: text, key }));
      const found = [{ kind: text, orderKey: text, key: { source: text, eventId: text } }];
      expect(await inbox.list({ kinds: [text] })).toMatchObject(found);
      expect(await inbox.list({ sources: [text] })).toMatchObject(found);
      expect(await inbox.list({ eventId: text })).toMatchObject(found);
    });

    it("finds the beginning of a text with characters of other planes", async () => {
      await keep(inbox, sampleEntry({ kind: "😀.x", key: sampleKey({ eventId: "😀ab" }) }));
      expect(await inbox.list({ kinds: ["😀.*"], eventId: "😀a" })).toHaveLength(1);
    });

    it("returns no attempts for an entry that never ran, or does not exist", async () => {
      const { seq } = await keep(inbox, sampleEntry());
      expect(await inbox.attempts(seq)).toEqual([]);
      expect(await inbox.attempts(999)).toEqual([]);
    });

    it("counts entries for every state", async () => {
      expect(await inbox.counts()).toEqual({
        waiting: 0,
        running: 0,
        handled: 0,
        dead: 0,
        received: 0,
        failing: 0,
      });
      for (const [number, state] of (
        ["handled", "dead", "dead", "received", "running"] as const
      ).entries()) {
        await entryIn(inbox, state, numberedEntry(number));
      }
      await keep(inbox, numberedEntry(10));
      expect(await inbox.counts()).toEqual({
        waiting: 1,
        running: 1,
        handled: 1,
        dead: 2,
        received: 1,
        failing: 0,
      });
      const [first] = await inbox.list({ states: ["dead"] });
      await inbox.drop({ seqs: [first?.seq ?? 0] }, AT);
      expect(await inbox.counts()).toMatchObject({ dead: 2, dropped: 1 });
      expect(await inbox.counts({ since: 0 })).toMatchObject({ dead: 2, dropped: 1 });
    });

    it("tells what failed at its last attempt from what has not run, or waits for something", async () => {
      for (const reason of [null, "target_away"]) {
        const { seq } = await keep(inbox, numberedEntry(reason === null ? 1 : 2));
        const entry = await claimOne(inbox, AT);
        expect(entry.seq).toBe(seq);
        const state = reason === null ? "failing" : "waiting";
        await inbox.settle(settlementOf(entry, { state, reason, runAt: AT + 60_000 }), AT);
      }
      await entryIn(inbox, "dead", numberedEntry(3));
      await keep(inbox, numberedEntry(4));
      const [failed, away, dead, fresh] = (await inbox.list({})).map(({ seq }) => seq);
      const found = async (filter: EntryFilter) => (await inbox.list(filter)).map(({ seq }) => seq);
      expect(await found({ states: ["failing"] })).toEqual([failed]);
      expect(await found({ states: ["waiting", "dead"] })).toEqual([away, dead, fresh]);
      const alternatives = { states: ["failing"] } as const;
      expect(await found({ text: "in no entry", alternatives })).toEqual([failed]);
      expect(await inbox.counts()).toMatchObject({ waiting: 2, failing: 1, dead: 1 });
      expect(await inbox.counts({ since: 0 })).toMatchObject({ waiting: 2, failing: 1, dead: 1 });
    });

    describeClaimOfOne(makeInbox);
    describeOrder(makeInbox);
    describeWaits(makeInbox);
    describeErasing(makeInbox);
    describePruning(makeInbox);
    describeSenders(makeInbox);
    describePauses(makeInbox);
    describeFailures(makeInbox);
    describeSources(makeInbox);
    describeSearch(makeInbox);
    describeRoles(makeInbox);
  });
}

/** Stores a new entry and brings it into a state as the dispatcher would; returns its number. */
async function entryIn(inbox: Inbox, state: EntryState, next = sampleEntry()): Promise<number> {
  const { seq } = await keep(inbox, next);
  if (state === "waiting") return seq;
  const claimed = await claimOne(inbox, AT, 1_000_000);
  if (state === "running") return seq;
  const reason = state === "handled" ? null : "some_reason";
  await inbox.settle(settlementOf(claimed, { state, reason }), AT + 1);
  return seq;
}

function hexOf(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString("hex");
}

function textOf(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString("utf8");
}
