import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EntryState } from "../../src/entries/index.ts";
import type { ClaimRequest } from "../../src/inbox/claim.ts";
import type { EntryFilter } from "../../src/inbox/entry-filter.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import type { TargetWait } from "../../src/inbox/target-wait.ts";
import { AT, claimOne, keep, numberedEntry, sampleKey, settlementOf } from "./entries.ts";

const APP = "http://127.0.0.1:3000/";
const OTHER = "http://127.0.0.1:3001/ü\u0000";

/** Contract tests for entries that wait for a target, are tried sooner, or are let go. */
export function describeWaits(makeInbox: () => Inbox): void {
  describe("entries that wait for a target", () => {
    let inbox: Inbox;

    beforeEach(async () => {
      inbox = makeInbox();
      await inbox.open();
    });

    afterEach(() => inbox.close());

    const wait = (target: string, parts: Partial<TargetWait> = {}): TargetWait => {
      return { target, since: AT, attempts: 1, nextAt: AT + 500, over: null, ...parts };
    };
    /** Keeps an entry that waits for these targets, due in a minute. */
    const waiting = async (number: number, waits: readonly TargetWait[], source = "service") => {
      const key = sampleKey({ source, eventId: `evt_${number}` });
      const { seq } = await keep(inbox, numberedEntry(number, 0, { key }));
      const [entry] = await inbox.claim({ now: AT, limit: 1, leaseTime: 1000, only: seq });
      if (entry === undefined) throw new Error("expected the entry to be claimed");
      const pending = {
        state: "waiting",
        reason: "target_away",
        runAt: AT + 60_000,
        waits,
      } as const;
      await inbox.settle(settlementOf(entry, pending), AT);
      return seq;
    };
    const claim = (target: string, request: Partial<ClaimRequest> = {}, after = 0) =>
      inbox.claim({
        now: AT,
        limit: 10,
        leaseTime: 1000,
        waitingFor: { target, after },
        ...request,
      });
    const seqs = (entries: readonly { readonly seq: number }[]) => entries.map(({ seq }) => seq);
    const matching = async (filter: EntryFilter) => seqs(await inbox.list(filter));

    it("are listed with their waits, and claimed with them", async () => {
      const waits = [
        wait(APP, { attempts: 3, since: AT - 5 }),
        wait(OTHER, { over: "refused_for_good" }),
      ];
      const seq = await waiting(1, waits);
      expect(await inbox.list({})).toMatchObject([{ seq, state: "waiting", waits }]);
      expect(await claim(APP)).toMatchObject([
        { seq, waits, dueAt: AT + 60_000, runAt: AT + 1000, attempts: 2 },
      ]);
    });

    it("keep their waits if a settlement does not mention them, and lose them if it has none", async () => {
      const seq = await waiting(1, [wait(APP)]);
      const [again] = await claim(APP);
      if (again !== undefined)
        await inbox.settle(settlementOf(again, { state: "failing", runAt: AT }), AT);
      expect(await inbox.list({ seq })).toMatchObject([{ waits: [wait(APP)] }]);
      await inbox.settle(settlementOf(await claimOne(inbox), { waits: [] }), AT);
      expect(await inbox.list({ seq })).toMatchObject([{ state: "handled", waits: [] }]);
    });

    it("are claimed for a target in order of arrival, due or not, beyond a number", async () => {
      const first = await waiting(1, [wait(APP)]);
      await waiting(2, [wait(OTHER)]);
      const third = await waiting(3, [wait(OTHER), wait(APP)]);
      const fourth = await waiting(4, [wait(APP)]);
      await inbox.reschedule({ seq: fourth }, AT - 10);
      expect(seqs(await claim(APP, { limit: 2 }))).toEqual([first, third]);
      expect(seqs(await claim(APP, { limit: 2 }))).toEqual([fourth]);
      expect(await claim(APP)).toEqual([]);
      const later = AT + 5000; // all leases have expired
      expect(seqs(await claim(APP, { now: later }, third))).toEqual([fourth]);
      expect(seqs(await claim(APP, { now: later, except: [first] }))).toEqual([third]);
    });

    it("are not claimed for a target they were given up on for, nor by another source", async () => {
      await waiting(1, [wait(APP, { over: "attempts_exhausted" })]);
      const theirs = await waiting(2, [wait(APP)], "other");
      expect(await claim(APP, { sources: ["service"] })).toEqual([]);
      expect(seqs(await claim(APP))).toEqual([theirs]);
    });

    it("are not claimed for a target while an earlier entry holds them back", async () => {
      const ordered = { orderKey: "prop_1" };
      const first = (await keep(inbox, numberedEntry(1, 0, ordered))).seq;
      const second = (await keep(inbox, numberedEntry(2, 0, ordered))).seq;
      const settleBoth = async (seq: number) => {
        const [entry] = await inbox.claim({ now: AT, limit: 1, leaseTime: 1000, only: seq });
        const pending = { state: "failing", waits: [wait(APP)] } as const;
        if (entry !== undefined) await inbox.settle(settlementOf(entry, pending), AT);
      };
      await settleBoth(first);
      await settleBoth(second);
      expect(seqs(await claim(APP))).toEqual([first]);
      expect(seqs(await claim(APP))).toEqual([]);
    });

    it("are counted for each target, running or not, but not once they have ended or were given up on", async () => {
      await waiting(1, [wait(APP)]);
      await waiting(2, [wait(APP), wait(OTHER)]);
      await waiting(3, [wait(APP, { over: "refused_for_good" }), wait(OTHER)], "other");
      const counts = [
        { target: APP, entries: 2 },
        { target: OTHER, entries: 2 },
      ];
      expect(await inbox.waiting()).toEqual(counts);
      const [first] = await claim(APP, { limit: 1 });
      expect(await inbox.waiting()).toEqual(counts);
      expect(await inbox.waiting({ sources: ["other"] })).toEqual([{ target: OTHER, entries: 1 }]);
      if (first !== undefined)
        await inbox.settle(settlementOf(first, { state: "dead", reason: "x" }), AT);
      expect(await inbox.waiting()).toEqual([{ target: APP, entries: 1 }, counts[1]]);
    });

    it("match a filter by target, also once they are dead", async () => {
      const first = await waiting(1, [wait(APP)]);
      const second = await waiting(2, [wait(OTHER, { over: "refused_for_good" })]);
      expect(await matching({ targets: [APP] })).toEqual([first]);
      expect(await matching({ targets: [OTHER, "none"] })).toEqual([second]);
      await inbox.drop({ targets: [APP] }, AT);
      expect(await matching({ targets: [APP], states: ["dead"] })).toEqual([first]);
    });

    it("start afresh when they are retried", async () => {
      const seq = await waiting(1, [wait(APP)]);
      await inbox.drop({ seq }, AT);
      expect(await inbox.retry({ seq }, AT + 7)).toMatchObject({ ended: 1 });
      expect(await inbox.list({})).toMatchObject([
        { state: "waiting", reason: null, runAt: AT + 7, attempts: 0, settledAt: null, waits: [] },
      ]);
    });
  });

  describe("reschedule", () => {
    let inbox: Inbox;

    beforeEach(async () => {
      inbox = makeInbox();
      await inbox.open();
    });

    afterEach(() => inbox.close());

    it("sets when waiting and failing entries are due, sooner or later, with their attempts as they are", async () => {
      const { seq } = await keep(inbox, numberedEntry(1));
      const first = await claimOne(inbox);
      await inbox.settle(settlementOf(first, { state: "failing", runAt: AT + 60_000 }), AT);
      const other = await keep(inbox, numberedEntry(2));
      expect(await inbox.reschedule({}, AT + 100)).toBe(2);
      expect(await inbox.list({})).toMatchObject([
        { seq, runAt: AT + 100, attempts: 1 },
        { seq: other.seq, runAt: AT + 100 },
      ]);
      expect(await inbox.claim({ now: AT + 100, limit: 5, leaseTime: 10 })).toHaveLength(2);
    });

    it("leaves entries alone that run, have ended, or do not match", async () => {
      for (const number of [1, 2])
        await keep(inbox, numberedEntry(number, 0, { runAt: AT + number * 1000 }));
      await keep(inbox, numberedEntry(3));
      const running = await claimOne(inbox, AT, 500);
      expect(await inbox.reschedule({ seqs: [2, running.seq] }, AT)).toBe(1);
      expect(await inbox.reschedule({ states: ["running"] }, AT)).toBe(0);
      expect((await inbox.list({})).map(({ runAt }) => runAt)).toEqual([AT + 1000, AT, AT + 500]);
    });

    it("takes the newest with a limit", async () => {
      for (const number of [1, 2, 3])
        await keep(inbox, numberedEntry(number, 0, { runAt: AT + 1000 }));
      expect(await inbox.reschedule({ limit: 2 }, AT)).toBe(2);
      expect((await inbox.list({})).map(({ runAt }) => runAt)).toEqual([AT + 1000, AT, AT]);
    });
  });

  describe("drop", () => {
    let inbox: Inbox;

    beforeEach(async () => {
      inbox = makeInbox();
      await inbox.open();
    });

    afterEach(() => inbox.close());

    const dropped = { state: "dead", reason: "dropped" };

    it.each(["waiting", "received", "dead"] as const)(
      "makes an entry that is %s a dead letter with the reason `dropped`, once",
      async (state) => {
        const { seq } = await keep(inbox, numberedEntry(1));
        if (state !== "waiting")
          await inbox.settle(settlementOf(await claimOne(inbox), { state, reason: "x" }), AT);
        expect(await inbox.drop({ seq }, AT + 9)).toBe(1);
        expect(await inbox.list({})).toMatchObject([
          { ...dropped, settledAt: state === "waiting" ? AT + 9 : AT },
        ]);
        expect(await inbox.claim({ now: AT + 1e9, limit: 5, leaseTime: 10 })).toEqual([]);
        expect(await inbox.claim({ now: AT + 1e9, limit: 5, leaseTime: 10, only: seq })).toEqual(
          [],
        );
        expect(await inbox.nextRunAt()).toBeUndefined();
        expect(await inbox.drop({ seq }, AT + 10)).toBe(0);
        expect(await inbox.delivery(seq)).toBeDefined();
      },
    );

    it("leaves entries that can be told from the others, and retried with or without them", async () => {
      const seqs: number[] = [];
      for (const [number, state] of (["dead", "received", "dead", "dead"] as const).entries()) {
        const { seq } = await keep(inbox, numberedEntry(number));
        const reason = number === 2 ? null : "x";
        await inbox.settle(settlementOf(await claimOne(inbox), { state, reason }), AT);
        seqs.push(seq);
      }
      await keep(inbox, numberedEntry(9));
      const [first = 0, second, third, fourth] = seqs;
      await inbox.drop({ seqs: [first, fourth ?? 0] }, AT);
      const listed = async (isDropped: boolean) =>
        (await inbox.list({ dropped: isDropped, states: ["dead", "received"] })).map(
          ({ seq }) => seq,
        );
      expect(await listed(true)).toEqual([first, fourth]);
      expect(await listed(false)).toEqual([second, third]);
      expect(await inbox.list({ dropped: false })).toHaveLength(3);
      expect(await inbox.retry({ dropped: false }, AT)).toMatchObject({ ended: 2 });
      expect(await listed(true)).toEqual([first, fourth]);
      expect(await inbox.retry({ dropped: true, seq: first }, AT)).toMatchObject({ ended: 1 });
      expect(await listed(true)).toEqual([fourth]);
    });

    it("leaves handled entries and those that do not match alone", async () => {
      await keep(inbox, numberedEntry(1));
      await inbox.settle(settlementOf(await claimOne(inbox)), AT);
      const { seq } = await keep(inbox, numberedEntry(2));
      expect(await inbox.drop({ kinds: ["lead.*"] }, AT)).toBe(0);
      expect(await inbox.drop({}, AT)).toBe(1);
      expect(await inbox.list({})).toMatchObject([{ state: "handled" }, { seq, ...dropped }]);
    });

    it.each([
      ["waiting", "dead"],
      ["dead", "dead"],
      ["handled", "handled"],
      ["handled, with a note", "handled"],
    ] as const)(
      "drops a running entry when its run ends, unless it succeeds (%s)",
      async (how, state) => {
        const run = {
          attempt: 1,
          handler: "*",
          startedAt: AT,
          duration: 1,
          outcome: "ok",
        } as const;
        const [end, records] =
          how === "handled, with a note"
            ? (["handled", [{ ...run, error: null, failure: null, note: "booked" }]] as const)
            : ([how, []] as const);
        const { seq } = await keep(inbox, numberedEntry(1));
        const running = await claimOne(inbox);
        expect(await inbox.drop({ seq }, AT)).toBe(1);
        expect(await inbox.list({})).toMatchObject([{ state: "running" }]);
        expect(
          await inbox.settle(settlementOf(running, { state: end, reason: null, records }), AT + 5),
        ).toBe(true);
        const reason = state === "dead" ? "dropped" : null;
        expect(await inbox.list({})).toMatchObject([{ state, reason, settledAt: AT + 5 }]);
      },
    );

    it.each([
      ["due", {}],
      ["named", { only: 1 }],
      ["waiting for its target", { waitingFor: { target: APP, after: 0 } }],
    ])("does not run a dropped entry again whose process died (%s)", async (_, request) => {
      await keep(inbox, numberedEntry(1));
      const first = await claimOne(inbox);
      const waits = [{ target: APP, since: AT, attempts: 1, nextAt: AT, over: null }];
      await inbox.settle(settlementOf(first, { state: "failing", waits }), AT);
      await claimOne(inbox);
      await inbox.drop({}, AT);
      expect(await inbox.claim({ now: AT + 2000, limit: 5, leaseTime: 10, ...request })).toEqual(
        [],
      );
      expect(await inbox.list({})).toMatchObject([{ ...dropped, settledAt: AT + 2000 }]);
    });

    it.each<EntryState>(["waiting", "dead"])(
      "lets the later entries of its order key run, even if dead letters block (%s)",
      async (state) => {
        const ordered = { orderKey: "prop_1" };
        const first = await keep(inbox, numberedEntry(1, 0, ordered));
        const others = [2, 3].map((number) => keep(inbox, numberedEntry(number, 0, ordered)));
        await Promise.all(others);
        const request = { now: AT, limit: 5, leaseTime: 1000, deadBlocks: true };
        const [entry] = await inbox.claim(request);
        const end = { state: state as "dead", reason: null };
        if (entry !== undefined)
          await inbox.settle(settlementOf(entry, { ...end, runAt: AT + 60_000 }), AT);
        expect(await inbox.claim(request)).toEqual([]);
        await inbox.drop({ seq: first.seq }, AT);
        for (const number of [2, 3]) {
          const claimed = await inbox.claim(request);
          expect(claimed).toMatchObject([{ key: { eventId: `evt_${number}` } }]);
          for (const entry of claimed) await inbox.settle(settlementOf(entry), AT);
        }
      },
    );
  });
}
