import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ClaimRequest } from "../../src/inbox/claim.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import type { NewPacedRetry, PauseOf } from "../../src/inbox/pause.ts";
import { AT, keep, numberedEntry, sampleKey, settlementOf } from "./entries.ts";

const ODD = "crm\0\ud800";

/** Contract tests for pauses, and for retries at a measured pace. */
export function describePauses(makeInbox: () => Inbox): void {
  describe("what is paused", () => {
    let inbox: Inbox;

    beforeEach(async () => {
      inbox = makeInbox();
      await inbox.open();
    });

    afterEach(() => inbox.close());

    const pause = (scope: PauseOf["scope"], name = "", since = AT) =>
      inbox.pause({ scope, name, since, who: "ann" });
    const resume = (scope: PauseOf["scope"], name = "", now = AT) =>
      inbox.resume({ scope, name }, now);
    const claim = (request: Partial<ClaimRequest> = {}) =>
      inbox.claim({ now: AT, limit: 50, leaseTime: 1000, ...request });
    const claimed = async (request: Partial<ClaimRequest> = {}) =>
      (await claim(request)).map(({ key }) => key.eventId);
    const keepThree = async () => {
      await keep(inbox, numberedEntry(1));
      await keep(inbox, numberedEntry(2, 1, { kind: "property.created" }));
      await keep(inbox, numberedEntry(3, 2, { key: sampleKey({ source: ODD, eventId: "evt_3" }) }));
    };

    it("is nothing at first, then listed with its time and who did it, oldest first", async () => {
      expect(await inbox.pauses()).toEqual({ paused: [], retries: [] });
      await inbox.nextRunAt();
      expect(inbox.isPaused).toBe(false);
      await pause("source", ODD, AT + 1);
      await pause("all");
      expect((await inbox.pauses()).paused).toEqual([
        { scope: "all", name: "", since: AT, who: "ann" },
        { scope: "source", name: ODD, since: AT + 1, who: "ann" },
      ]);
      expect(inbox.isPaused).toBe(true);
      expect(await resume("source", "another")).toBe(false);
      expect(await resume("retry", "no number")).toBe(false);
      expect([await resume("source", ODD), await resume("all")]).toEqual([true, true]);
      await inbox.nextRunAt();
      expect(inbox.isPaused).toBe(false);
    });

    it.each([
      ["all", "", []],
      ["source", ODD, ["evt_1", "evt_2"]],
      ["kind", "payment.received", ["evt_2"]],
      ["kind", "payment.*", ["evt_2"]],
      ["kind", "*", []],
      ["kind", "payment", ["evt_1", "evt_2", "evt_3"]],
    ] as const)(
      "as %s %j is not claimed, however often, until it is resumed",
      async (scope, name, others) => {
        await keepThree();
        await pause(scope, name);
        expect((await claimed({ now: AT + 5 })).sort()).toEqual(others);
        expect(await claimed({ now: AT + 6 })).toEqual([]);
        expect(await claimed({ now: AT + 60_000, only: 1 })).toEqual(
          others.some((id) => id === "evt_1") ? ["evt_1"] : [],
        );
        expect(await resume(scope, name, AT + 7)).toBe(true);
        const rest = ["evt_1", "evt_2", "evt_3"].filter(
          (id) => !others.some((other) => other === id),
        );
        expect((await claimed({ now: AT + 7 })).sort()).toEqual(rest);
      },
    );

    it("counts no attempt, and says why it waits", async () => {
      await keepThree();
      await pause("kind", "payment.received");
      await claim({ now: AT + 5 });
      expect(await inbox.list({ kinds: ["payment.received"] })).toMatchObject([
        { state: "waiting", reason: "paused", attempts: 0 },
        { state: "waiting", reason: "paused", attempts: 0 },
      ]);
    });

    it("does not make claims late: it is not what is due next", async () => {
      await keepThree();
      await pause("all");
      expect(await inbox.nextRunAt()).toBeUndefined();
      await resume("all");
      await pause("kind", "payment.received");
      await claim({ now: AT + 5 });
      expect((await inbox.nextRunAt({ except: [2] })) ?? Infinity).toBeGreaterThan(AT + 60_000);
    });

    it("comes back when it is resumed, also from a process that died while it ran", async () => {
      await keep(inbox, numberedEntry(1));
      await claim({ leaseTime: 10 });
      await pause("kind", "payment.received");
      expect(await claimed({ now: AT + 100 })).toEqual([]);
      await resume("kind", "payment.received", AT + 200);
      expect(await claim({ now: AT + 200 })).toMatchObject([{ attempts: 2 }]);
    });

    it("as a handler or a target is passed on with each entry that is claimed", async () => {
      await keepThree();
      await pause("handler", "payment.received:1");
      await pause("target", ODD, AT + 1);
      const runs = [
        { scope: "handler", name: "payment.received:1" },
        { scope: "target", name: ODD },
      ];
      const entries = await claim({ now: AT + 5 });
      for (const { paused } of entries) expect(paused).toHaveLength(2);
      expect(entries[0]?.paused).toEqual(expect.arrayContaining(runs));
    });

    it("as a target gives no entry that waits for it its turn, until it is resumed", async () => {
      await keep(inbox, numberedEntry(1));
      const [entry] = await claim();
      if (entry === undefined) throw new Error("expected an entry");
      const waits = [{ target: ODD, since: AT, attempts: 1, nextAt: AT, over: null }];
      const waiting = {
        state: "waiting",
        reason: "target_away",
        runAt: AT + 60_000,
        waits,
      } as const;
      await inbox.settle(settlementOf(entry, waiting), AT);
      const turn = { waitingFor: { target: ODD, after: 0 } };
      await pause("target", ODD);
      expect(await claimed(turn)).toEqual([]);
      await resume("target", ODD, AT + 1);
      await pause("handler", ODD); // a handler of the same name
      expect(await inbox.nextRunAt()).toBe(AT + 1);
      expect(await claimed(turn)).toEqual(["evt_1"]);
    });

    const newRetry = (parts: Partial<NewPacedRetry> = {}) =>
      inbox.newRetry({ since: AT, who: "ann", interval: 1000, entries: 3, ...parts });
    /** Keeps dead letters of these order keys, and returns their numbers. */
    const dead = async (...orderKeys: readonly (string | null)[]) => {
      const seqs: number[] = [];
      for (const [index, orderKey] of orderKeys.entries()) {
        const { seq } = await keep(inbox, numberedEntry(index, index, { orderKey }));
        const [entry] = await inbox.claim({ now: AT + 100, limit: 1, leaseTime: 1000, only: seq });
        if (entry === undefined) throw new Error("expected the entry to be claimed");
        await inbox.settle(
          settlementOf(entry, { state: "dead", reason: "attempts_exhausted" }),
          AT,
        );
        seqs.push(seq);
      }
      return seqs;
    };

    it("a retry makes entries due an interval apart, in their order, and each is claimed at its time", async () => {
      const seqs = await dead("a", null, "a");
      const { id, pace } = await newRetry();
      expect(await pace(seqs, AT)).toBe(3);
      expect(await inbox.list({})).toMatchObject(
        [0, 1, 2].map((n) => ({
          state: "waiting",
          reason: `paced_${id}`,
          attempts: 0,
          settledAt: null,
          runAt: AT + n * 1000,
        })),
      );
      expect((await inbox.pauses()).retries).toEqual([
        { id, since: AT, who: "ann", interval: 1000, entries: 3, left: 3, until: AT + 3000 },
      ]);
      expect(await claimed({ now: AT + 999 })).toEqual(["evt_0"]);
      expect(await claimed({ now: AT + 1000 })).toEqual(["evt_1"]);
      expect((await inbox.pauses()).retries).toMatchObject([{ left: 1 }]);
      // The first of its order key still runs.
      expect(await claimed({ now: AT + 1999, except: seqs.slice(0, 1) })).toEqual([]);
    });

    it("a retry waits for its time, although a clock that was set back might have dated it", async () => {
      const seqs = await dead(null, null);
      const { id, pace } = await newRetry({ interval: 3_600_000, entries: 2 });
      await pace(seqs, AT);
      expect(await claimed({ horizon: 1000 })).toEqual(["evt_0"]);
      await inbox.endRetry(id);
      expect(await claimed({ horizon: 1000, except: seqs.slice(0, 1) })).toEqual(["evt_1"]);
    });

    it("a retry leaves what runs or is done alone, and keeps the attempts of what failed", async () => {
      const seqs: number[] = [];
      for (const number of [1, 2, 3, 4]) seqs.push((await keep(inbox, numberedEntry(number))).seq);
      const [first, second, third] = await claim({ limit: 3 });
      if (first === undefined || second === undefined || third === undefined)
        throw new Error("too few");
      await inbox.settle(settlementOf(first), AT);
      await inbox.settle(settlementOf(second, { state: "failing", runAt: AT + 5 }), AT);
      const { pace } = await newRetry({ entries: 4 });
      expect(await pace(seqs, AT)).toBe(2);
      expect(await inbox.list({ states: ["waiting", "failing"] })).toMatchObject([
        { seq: second.seq, attempts: 1, runAt: AT + 1000 },
        { seq: seqs[3], attempts: 0, runAt: AT + 3000 },
      ]);
    });

    it("what is left of a retry that is paused runs once it is resumed, at its pace from then on", async () => {
      const seqs = await dead(null, null, null, null);
      const { id, pace } = await newRetry({ entries: 4 });
      await pace(seqs, AT);
      const [first] = await claim({ now: AT });
      if (first === undefined) throw new Error("expected the first entry to be due");
      await inbox.settle(settlementOf(first), AT);
      await pause("retry", String(id));
      expect(await claimed({ now: AT + 6000, except: seqs.slice(0, 1) })).toEqual([]);
      expect(await resume("retry", String(id), AT + 10_000)).toBe(true);
      expect(await inbox.list({ states: ["waiting", "failing"] })).toMatchObject(
        [0, 1, 2].map((n) => ({
          seq: seqs[n + 1],
          runAt: AT + 10_000 + n * 1000,
          reason: `paced_${id}`,
        })),
      );
      expect((await inbox.pauses()).retries).toMatchObject([{ left: 3, until: AT + 13_000 }]);
      const others = { now: AT + 11_500, except: seqs.slice(0, 1) };
      expect(await claimed(others)).toEqual(["evt_1", "evt_2"]);
    });

    it("more than a step of entries keeps its pace when it is resumed", async () => {
      const kept = Array.from({ length: 1003 }, (_, number) => keep(inbox, numberedEntry(number)));
      const seqs = (await Promise.all(kept)).map(({ seq }) => seq).sort((a, b) => a - b);
      const { id, pace } = await newRetry({ interval: 20, entries: 1003 });
      await pace(seqs.slice(0, 1000), AT);
      await pace(seqs.slice(1000), AT + 20_000);
      await resume("retry", String(id), AT + 1000);
      const due = (await inbox.list({})).map(({ runAt }) => runAt - AT - 1000);
      expect(due).toEqual(seqs.map((_, n) => n * 20));
    });
  });
}
