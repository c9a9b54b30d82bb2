import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { createReceiver } from "../../src/entries/index.ts";
import { pruneInbox } from "../../src/inbox/prune.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import { sqliteInbox } from "../../src/inbox/sqlite.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { readOptions } from "../../src/receiver/options/settings.ts";
import { deadForPruning, dueForPruning, Retention } from "../../src/receiver/retention.ts";
import { long } from "../long.ts";
import { openReceiver } from "./open.ts";
import {
  at,
  DAY,
  deliveryOf,
  envelope,
  frozenClock,
  inboxFile,
  keptLog,
  MINUTE,
  NOW,
  SECRET,
  until,
  wrapInbox,
} from "./sample.ts";

/** Lets pending work of the event loop proceed while timers are frozen. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** A step in the life of a receiver. */
type Step =
  | { readonly type: "deliver"; readonly event: number }
  | { readonly type: "clock"; readonly by: number }
  | { readonly type: "prune" };

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant("deliver" as const), event: fc.nat(11) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("clock" as const),
      by: fc.integer({ min: -6 * DAY, max: 9 * DAY }),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ type: "prune" as const }) },
);

describe("retention", () => {
  it("[case 58] never runs an event twice, for any sequence of deliveries, pruning and clock jumps", async () => {
    let pruned = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 20, maxLength: 80 }), async (steps) => {
        const clock = frozenClock();
        const terms = { maxAge: 2 * DAY, maxSkew: DAY, retention: 3 * DAY, deliveryRetention: DAY };
        const receiver = createReceiver({
          secret: SECRET,
          inbox: "memory:",
          log: keptLog().log,
          clock: () => clock.now,
          ...terms,
        });
        const runs = new Map<unknown, number>();
        receiver.on("*", ({ data }) => void runs.set(data.id, (runs.get(data.id) ?? 0) + 1));
        await receiver.start();
        let due = 0;
        for (const step of steps) {
          if (step.type === "clock") clock.now += step.by;
          else if (step.type === "deliver") {
            // Twelve events, with timestamps over three weeks around the start, sent repeatedly.
            const timestamp = at((step.event - 6) * 2 * DAY);
            const outcome = await receiver.accept(
              deliveryOf(envelope({ timestamp, data: { id: step.event } }), undefined, clock.now),
            );
            if (outcome.type === "accepted" && !outcome.duplicate) due++;
            const ended = async () =>
              expect(
                (await inboxOf(receiver).counts()).waiting +
                  (await inboxOf(receiver).counts()).running,
              ).toBe(0);
            await vi.waitFor(ended, { timeout: 2000, interval: 0 });
          } else {
            pruned += (
              await pruneInbox(
                inboxOf(receiver),
                dueForPruning({ ...terms, source: "service", clock: () => clock.now }),
              )
            ).pruned;
          }
        }
        await receiver.close();
        expect([...runs.values()].every((count) => count === 1)).toBe(true);
        expect(runs.size).toBe(due);
      }),
      { numRuns: long(60, 2000) },
    );
    expect(pruned).toBeGreaterThan(5); // otherwise the property has tested nothing
  }, 600_000);

  it("deletes ended entries and deliveries that exceed their retention, but no dead letters", async () => {
    const { receiver, clock, entries, entry, untilState } = await openReceiver();
    receiver.on("*", () => {});
    await receiver.accept(deliveryOf(envelope()));
    await untilState("handled");
    await receiver.accept(deliveryOf("no JSON"));
    const prune = () =>
      pruneInbox(
        inboxOf(receiver),
        dueForPruning(readOptions({ secret: SECRET, clock: () => clock.now })),
      );
    clock.now = NOW + 7 * DAY - 1;
    expect(await prune()).toEqual({ pruned: 0, slimmed: 0 });
    clock.now = NOW + 7 * DAY;
    expect(await prune()).toEqual({ pruned: 0, slimmed: 1 });
    clock.now = NOW + 30 * DAY - 1;
    expect(await prune()).toEqual({ pruned: 0, slimmed: 0 });
    clock.now = NOW + 30 * DAY;
    expect(await prune()).toEqual({ pruned: 1, slimmed: 0 });
    expect(await entry()).toMatchObject({ state: "dead", reason: "invalid_json" });
    expect(await entries()).toHaveLength(1);
  });

  it("keeps dead letters however old they are, and whatever was received after them", async () => {
    const { receiver, clock, entries, untilState } = await openReceiver();
    receiver.on("*", () => {});
    await receiver.accept(deliveryOf("no JSON"));
    await untilState("dead");
    await receiver.accept(deliveryOf(envelope({ data: { id: "done" } })));
    // the newest entry is never deleted
    await receiver.accept(deliveryOf(envelope({ data: { id: "newest" } })));
    await until(async () => expect(await inboxOf(receiver).counts()).toMatchObject({ handled: 2 }));
    clock.now = NOW + 365 * DAY;
    const due = dueForPruning(readOptions({ secret: SECRET, clock: () => clock.now }));
    expect(await pruneInbox(inboxOf(receiver), due)).toMatchObject({ pruned: 1 });
    expect(await entries()).toMatchObject([
      { state: "dead", reason: "invalid_json" },
      { state: "handled" },
    ]);
    expect(await inboxOf(receiver).delivery(1)).toBeDefined();
  });

  it("prunes dead letters once they are older than retentionDead, and never without it", async () => {
    const { receiver, clock, entries } = await openReceiver({ retentionDead: 90 * DAY });
    const kept = readOptions({ secret: SECRET, clock: () => clock.now });
    const settings = readOptions({
      secret: SECRET,
      retentionDead: 90 * DAY,
      clock: () => clock.now,
    });
    await receiver.accept(deliveryOf("[]"));
    await receiver.accept(deliveryOf(envelope({ data: { id: "newest" } })));
    await until(async () => expect(await inboxOf(receiver).counts()).toMatchObject({ dead: 1 }));
    const prune = async () => {
      const dead = deadForPruning(settings);
      return dead && (await pruneInbox(inboxOf(receiver), { prune: dead })).pruned;
    };
    clock.now = NOW + 90 * DAY - 1;
    expect(await prune()).toBe(0);
    clock.now = NOW + 90 * DAY + 1;
    expect(deadForPruning(kept)).toBeUndefined();
    expect(deadForPruning(settings)).toMatchObject({
      receivedUntil: NOW + 1,
      datedUntil: clock.now - settings.maxAge - 1,
    });
    expect(await prune()).toBe(1);
    expect(await entries()).not.toContainEqual(expect.objectContaining({ state: "dead" }));
    const short = { secret: SECRET, retention: 30 * DAY, retentionDead: 29 * DAY };
    expect(() => readOptions(short)).toThrow(
      expect.objectContaining({ code: "retention_too_short" }),
    );
  });

  it("keeps an event until it is too old to be accepted, even if its retention is over", async () => {
    // The shortest retention allowed, and the latest timestamp allowed: both end in the same
    // millisecond.
    const terms = { maxAge: 2 * DAY, maxSkew: DAY, retention: 3 * DAY, deliveryRetention: DAY };
    const { receiver, clock } = await openReceiver(terms);
    let ran = 0;
    receiver.on("*", () => void ran++);
    const ahead = deliveryOf(envelope({ timestamp: at(DAY) }));
    await receiver.accept(ahead);
    await receiver.accept(deliveryOf(envelope({ data: { id: "newest" } })));
    await until(async () => expect(await inboxOf(receiver).counts()).toMatchObject({ handled: 2 }));
    const prune = () =>
      pruneInbox(
        inboxOf(receiver),
        dueForPruning({ ...terms, source: "service", clock: () => clock.now }),
      );
    clock.now = NOW + 3 * DAY;
    expect(await prune()).toMatchObject({ pruned: 0 });
    expect(await receiver.accept(ahead)).toMatchObject({ type: "accepted", duplicate: true });
    clock.now++;
    expect(await prune()).toMatchObject({ pruned: 1 });
    expect(await receiver.accept(ahead)).toMatchObject({
      type: "rejected",
      rejection: { reason: "too_old" },
    });
    expect(ran).toBe(2);
  });

  it("[case 58] rejects a deleted event that is sent again, even if the clock was set back so that it seems recent", async () => {
    const { receiver, clock, entries, untilState } = await openReceiver();
    let ran = 0;
    receiver.on("*", () => void ran++);
    await receiver.accept(deliveryOf(envelope()));
    await untilState("handled");
    await receiver.accept(deliveryOf("no JSON")); // the newest entry is never deleted
    clock.now = NOW + 31 * DAY;
    await pruneInbox(
      inboxOf(receiver),
      dueForPruning(readOptions({ secret: SECRET, clock: () => clock.now })),
    );
    clock.now = NOW + MINUTE;
    const outcome = await receiver.accept(deliveryOf(envelope()));
    expect(outcome).toMatchObject({
      type: "rejected",
      rejection: { reason: "too_old", field: "timestamp" },
    });
    expect(await entries()).toMatchObject([
      { reason: "invalid_json" },
      { reason: "too_old", state: "dead" },
    ]);
    expect(ran).toBe(1);
  });

  it("runs soon after the start and then regularly, until it is stopped", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const calls: number[] = [];
      const path = inboxFile();
      const inbox = wrapInbox(sqliteInbox(path), {
        list: async () => [],
        prune: async () => ({ changed: 0, next: void calls.push(1) }),
        slim: async () => ({ changed: 0, next: undefined }),
      });
      const retention = new Retention(
        readOptions({ secret: SECRET, inbox: handleOf(inbox), log: keptLog().log }),
      );
      retention.start();
      await vi.advanceTimersByTimeAsync(4999);
      expect(calls).toHaveLength(0);
      await vi.advanceTimersByTimeAsync(1);
      await turns();
      expect(calls).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(10 * MINUTE);
      await turns();
      expect(calls).toHaveLength(2);
      await retention.stop();
      await vi.advanceTimersByTimeAsync(60 * MINUTE);
      expect(calls).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });

  it("logs a failure to prune the inbox, and continues", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const { log, lines } = keptLog();
      const inbox = wrapInbox(sqliteInbox(inboxFile()), {
        list: async () => [],
        prune: () => Promise.reject(new Error("full")),
      });
      const retention = new Retention(readOptions({ secret: SECRET, inbox: handleOf(inbox), log }));
      retention.start();
      await vi.advanceTimersByTimeAsync(5000);
      await vi.waitFor(() =>
        expect(lines).toMatchObject([{ level: "warn", fields: { error: "full" } }]),
      );
      await retention.stop();
    } finally {
      vi.useRealTimers();
    }
  });
});
