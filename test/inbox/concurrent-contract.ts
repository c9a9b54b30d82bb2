import { describe, expect, it } from "vitest";
import { createReceiver } from "../../src/entries/index.ts";
import type { ClaimedEntry } from "../../src/inbox/claim.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { pruneInbox } from "../../src/inbox/prune.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import { deliveryOf, envelope, keptLog, SECRET, until } from "../receiver/sample.ts";
import { AT, keep, numberedEntry, settlementOf } from "./entries.ts";

const HOUR = 3_600_000;

/** Numbers in another order each time, and the same in each run. */
export function shuffled(count: number, seed: number): readonly number[] {
  const numbers = Array.from({ length: count }, (_, number) => number);
  return numbers.sort(
    (a, b) => ((a * 7919 + seed * 104_729) % 9973) - ((b * 7919 + seed * 104_729) % 9973),
  );
}

/** Claims and settles until nothing is waiting; calls `run` for each entry between the two. */
async function runAll(
  inbox: Inbox,
  isOver: () => boolean,
  run: (entry: ClaimedEntry) => Promise<void>,
): Promise<void> {
  for (;;) {
    // Soon after they are due: a claim may overlook for a second what another client makes due long
    // before its own time.
    const entries = await inbox.claim({ now: AT + 500, limit: 5, leaseTime: 60_000 });
    if (entries.length === 0 && isOver() && (await inbox.nextRunAt()) === undefined) return;
    await Promise.all(
      entries.map(async (entry) => {
        await run(entry);
        expect(await inbox.settle(settlementOf(entry), AT)).toBe(true);
      }),
    );
  }
}

/** How to run the contract for several clients. */
export interface ConcurrentTerms {
  /** Opens two clients of one new inbox, which are closed after the test. */
  readonly openTwo: () => Promise<readonly [Inbox, Inbox]>;
  /**
   * Two clients of one new inbox that are not open, on machines whose clocks are `offset`
   * milliseconds off.
   */
  readonly makeTwo?: (offsets: readonly [number, number]) => readonly [Inbox, Inbox];
  /** How often clients have waited for each other in a circle, on a server that ends that. */
  readonly deadlocks?: () => Promise<number>;
}

/** Contract tests for several clients of one inbox at the same time. */
export function describeConcurrent(
  name: string,
  { openTwo, makeTwo, deadlocks = async () => 0 }: ConcurrentTerms,
): void {
  describe(`${name}:`, () => {
    it("keep the same keys once, in any order", async () => {
      const [a, b] = await openTwo();
      const before = await deadlocks();
      for (let round = 0; round < 10; round++) {
        const orders = [shuffled(500, round), shuffled(500, round + 1).toReversed()];
        const kept = await Promise.all(
          [a, b].map((inbox, index) =>
            Promise.all(
              (orders[index] ?? []).map((number) =>
                keep(inbox, numberedEntry(round * 1000 + number)),
              ),
            ),
          ),
        );
        expect(kept.flat().filter(({ duplicate }) => !duplicate)).toHaveLength(500);
      }
      const entries = await a.list({});
      expect(entries).toHaveLength(5000);
      expect(new Set(entries.map(({ duplicates }) => duplicates))).toEqual(new Set([1]));
      expect(await deadlocks()).toBe(before);
    });

    it("run the entries of one order key one after another, in order of arrival, while others arrive", async () => {
      const [a, b] = await openTwo();
      const total = 400;
      const running = new Set<string>();
      const ran = new Map<string, number[]>();
      const problems: string[] = [];
      let arrived = 0;
      const arrive = async (inbox: Inbox, from: number) => {
        for (let number = from; number < total; number += 20) {
          const batch = Array.from({ length: 10 }, (_, index) => {
            const orderKey = index % 3 === 0 ? null : `key_${index % 3}`;
            return keep(inbox, numberedEntry(number + index, 0, { orderKey }));
          });
          const kept = await Promise.all(batch);
          arrived += kept.length;
        }
      };
      const run = async ({ seq, orderKey }: ClaimedEntry) => {
        if (orderKey === null) return;
        if (running.has(orderKey)) problems.push(`two entries of ${orderKey} ran at once`);
        running.add(orderKey);
        ran.set(orderKey, [...(ran.get(orderKey) ?? []), seq]);
        await new Promise((resolve) => setTimeout(resolve, 1));
        running.delete(orderKey);
      };
      const isOver = () => arrived === total;
      await Promise.all([
        arrive(a, 0),
        arrive(b, 10),
        runAll(a, isOver, run),
        runAll(b, isOver, run),
      ]);
      expect(problems).toEqual([]);
      for (const seqs of ran.values()) expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
      expect(await a.counts()).toEqual({
        waiting: 0,
        failing: 0,
        running: 0,
        handled: total,
        dead: 0,
        received: 0,
      });
    });

    it("retry and run dead letters at the same time, each once per retry and in order", async () => {
      const [a, b] = await openTwo();
      const total = 120;
      for (let number = 0; number < total; number++) {
        const parts = { state: "dead", reason: "x", orderKey: `key_${number % 5}` } as const;
        await keep(a, numberedEntry(number, 0, parts));
      }
      const running = new Set<string>();
      const ran: number[] = [];
      let retried = 0;
      const retry = async () => {
        for (let number = 0; number < total; number += 10) {
          const seqs = Array.from({ length: 10 }, (_, index) => number + index + 1);
          retried += (await b.retry({ seqs }, AT)).ended;
        }
      };
      const run = async ({ seq, orderKey }: ClaimedEntry) => {
        expect(running.has(orderKey ?? "")).toBe(false);
        running.add(orderKey ?? "");
        ran.push(seq);
        await new Promise((resolve) => setTimeout(resolve, 1));
        running.delete(orderKey ?? "");
      };
      await Promise.all([retry(), runAll(a, () => retried === total, run)]);
      expect(retried).toBe(total);
      expect(ran.toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: total }, (_, at) => at + 1),
      );
    });

    it("settle again what was stored just before the connection was lost", async () => {
      const [a, b] = await openTwo();
      for (const [number, state] of (["handled", "dead", "failing"] as const).entries()) {
        await keep(a, numberedEntry(number));
        const [entry] = await a.claim({ now: AT, limit: 1, leaseTime: 1000 });
        if (entry === undefined) throw new Error("expected an entry");
        const settlement = settlementOf(entry, { state, runAt: AT + 1e9 });
        expect(await a.settle(settlement, AT)).toBe(true);
        expect(await b.settle(settlement, AT)).toBe(true);
        expect(await b.settle({ ...settlement, state: "received" }, AT)).toBe(false);
        expect(await b.settle({ ...settlement, lease: "another" }, AT)).toBe(false);
      }
      expect(await a.counts()).toEqual({
        waiting: 0,
        failing: 1,
        running: 0,
        handled: 1,
        dead: 1,
        received: 0,
      });
    });

    it("settle and renew the same leases at once, and lose none", async () => {
      const [a] = await openTwo();
      const before = await deadlocks();
      for (let round = 0; round < 5; round++) {
        await Promise.all(
          shuffled(600, round).map((number) => keep(a, numberedEntry(round * 1000 + number))),
        );
        const entries = await a.claim({ now: AT, limit: 600, leaseTime: 60_000 });
        const work = shuffled(600, round).flatMap((at) => entries[at] ?? []);
        const renewed = [1, 2, 3].map(() => a.renew(work.toReversed(), AT + 90_000));
        const settled = await Promise.all(work.map((entry) => a.settle(settlementOf(entry), AT)));
        expect(settled).toEqual(work.map(() => true));
        await Promise.all(renewed);
      }
      expect(await a.counts()).toMatchObject({ handled: 3000, running: 0 });
      expect(await deadlocks()).toBe(before);
    });

    it("take no event for new again while the other one prunes it", async () => {
      const [a, b] = await openTwo();
      const total = 100;
      const dated = (number: number) =>
        numberedEntry(number, number, {
          key: { source: "service", eventId: `evt_${number}`, timestamp: AT + number },
          eventTimestamp: AT + number,
        });
      await Promise.all(Array.from({ length: total }, (_, number) => keep(a, dated(number))));
      const runs = new Map<string, number>();
      const run = async ({ key }: ClaimedEntry) =>
        void runs.set(key.eventId, (runs.get(key.eventId) ?? 0) + 1);
      await runAll(a, () => true, run);
      let pruning = true;
      const until = { receivedUntil: AT + total, datedUntil: AT + total };
      const prune = pruneInbox(a, { prune: { states: ["handled"], ...until } }).finally(() => {
        pruning = false;
      });
      const fresh: number[] = [];
      for (let number = 0; pruning || number < total; number++) {
        const appended = await b.append(dated(number % total));
        if (appended?.duplicate === false) fresh.push(number % total);
      }
      expect((await prune).pruned).toBe(total - 1); // the newest entry stays
      await runAll(b, () => true, run);
      expect(fresh).toEqual([]);
      expect([...runs.values()].filter((many) => many > 1)).toEqual([]);
    });

    if (makeTwo === undefined) return;
    it("on machines whose clocks are two hours apart run no entry twice", async () => {
      const offsets = [HOUR, -HOUR] as const;
      const inboxes = makeTwo(offsets);
      const ran: string[] = [];
      const receivers = inboxes.map((inbox, index) => {
        const clock = () => Date.now() + (offsets[index] ?? 0);
        const receiver = createReceiver({
          secret: SECRET,
          inbox: handleOf(inbox),
          clock,
          lease: 2000,
          poll: 20,
          log: keptLog().log,
        });
        receiver.on("payment.received", async ({ id }) => {
          ran.push(id);
          // longer than a lease, which is renewed
          await new Promise((resolve) => setTimeout(resolve, 2600));
        });
        return receiver;
      });
      for (const receiver of receivers) await receiver.start();
      for (let number = 0; number < 4; number++) {
        const timestamp = new Date(Date.now() - 2 * HOUR + number).toISOString();
        const receivedAt = Date.now() + (offsets[number % 2] ?? 0);
        const outcome = await receivers[number % 2]?.accept({
          ...deliveryOf(envelope({ timestamp })),
          receivedAt,
        });
        expect(outcome).toMatchObject({ type: "accepted", duplicate: false });
      }
      await until(async () =>
        expect(await receivers[0]?.inbox.count()).toMatchObject({ handled: 4 }),
      );
      for (const receiver of receivers) await receiver.close();
      expect(ran).toHaveLength(4);
    });
  });
}
