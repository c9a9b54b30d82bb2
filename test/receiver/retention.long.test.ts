import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { ReceiverOptions } from "../../src/entries/index.ts";
import { createReceiver } from "../../src/entries/index.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { pruneInbox } from "../../src/inbox/prune.ts";
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
  keptLog,
  MINUTE,
  NOW,
  SECRET,
  until,
  wrapInbox,
} from "./sample.ts";

/** Prunes a receiver's inbox as its options say. */
function prune(
  { receiver, clock }: Pick<Awaited<ReturnType<typeof openReceiver>>, "receiver" | "clock">,
  options: Partial<ReceiverOptions> = {},
) {
  const settings = readOptions({ secret: SECRET, clock: () => clock.now, ...options });
  return pruneInbox(inboxOf(receiver), dueForPruning(settings));
}

const TERMS = { maxAge: 2 * DAY, maxSkew: DAY, retention: 3 * DAY, deliveryRetention: DAY };

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
        const options = { inbox: "memory:", log: keptLog().log, clock: () => clock.now, ...TERMS };
        const receiver = createReceiver({ secret: SECRET, ...options });
        const runs = new Map<unknown, number>();
        receiver.on("*", ({ data }) => void runs.set(data.id, (runs.get(data.id) ?? 0) + 1));
        await receiver.start();
        let due = 0;
        for (const step of steps) {
          if (step.type === "clock") clock.now += step.by;
          else if (step.type === "prune")
            pruned += (await prune({ receiver, clock }, TERMS)).pruned;
          else {
            // Twelve events, with timestamps over three weeks around the start, sent repeatedly.
            const timestamp = at((step.event - 6) * 2 * DAY);
            const content = envelope({ timestamp, data: { id: step.event } });
            const outcome = await receiver.accept(deliveryOf(content, undefined, clock.now));
            if (outcome.type === "accepted" && !outcome.duplicate) due++;
            const ended = async () =>
              expect(await receiver.inbox.count()).toMatchObject({ waiting: 0, running: 0 });
            await vi.waitFor(ended, { timeout: 2000, interval: 0 });
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

  it("deletes ended entries and deliveries that exceed their retention, but no dead letters nor the newest entry", async () => {
    const opened = await openReceiver();
    const { receiver, clock, entries } = opened;
    receiver.on("*", () => {});
    await receiver.accept(deliveryOf("no JSON"));
    await receiver.accept(deliveryOf(envelope()));
    await receiver.accept(deliveryOf(envelope({ data: { id: "newest" } })));
    await until(async () => expect(await receiver.inbox.count()).toMatchObject({ handled: 2 }));
    for (const [age, pruned, slimmed] of [
      [7 * DAY - 1, 0, 0],
      [7 * DAY, 0, 2],
      [30 * DAY - 1, 0, 0],
      [30 * DAY, 1, 0],
      [365 * DAY, 0, 0],
    ] as const) {
      clock.now = NOW + age;
      expect([age, await prune(opened)]).toEqual([age, { pruned, slimmed }]);
    }
    const dead = { state: "dead", reason: "invalid_json" };
    expect(await entries()).toMatchObject([dead, { state: "handled" }]);
    expect(await inboxOf(receiver).delivery(1)).toBeDefined();
  });

  it("prunes dead letters once they are older than retentionDead, and never without it", async () => {
    const { receiver, clock, entries } = await openReceiver({ retentionDead: 90 * DAY });
    const settings = (retentionDead?: number) =>
      readOptions({ secret: SECRET, retentionDead, clock: () => clock.now });
    await receiver.accept(deliveryOf("[]"));
    await receiver.accept(deliveryOf(envelope({ data: { id: "newest" } })));
    await until(async () => expect(await receiver.inbox.count()).toMatchObject({ dead: 1 }));
    const dead = () => deadForPruning(settings(90 * DAY));
    const pruned = async () =>
      (await pruneInbox(inboxOf(receiver), { prune: dead() as never })).pruned;
    clock.now = NOW + 90 * DAY - 1;
    expect(await pruned()).toBe(0);
    clock.now = NOW + 90 * DAY + 1;
    expect(deadForPruning(settings())).toBeUndefined();
    const datedUntil = clock.now - settings().maxAge - 1;
    expect(dead()).toMatchObject({ receivedUntil: NOW + 1, datedUntil });
    expect(await pruned()).toBe(1);
    expect(await entries()).not.toContainEqual(expect.objectContaining({ state: "dead" }));
    const short = { secret: SECRET, retention: 30 * DAY, retentionDead: 29 * DAY };
    const code = "retention_too_short";
    expect(() => readOptions(short)).toThrow(expect.objectContaining({ code }));
  });

  it("keeps an event until it is too old to be accepted, even if its retention is over", async () => {
    // The shortest retention allowed, and the latest timestamp allowed: both end in the same
    // millisecond.
    const opened = await openReceiver(TERMS);
    const { receiver, clock } = opened;
    let ran = 0;
    receiver.on("*", () => void ran++);
    const ahead = deliveryOf(envelope({ timestamp: at(DAY) }));
    await receiver.accept(ahead);
    await receiver.accept(deliveryOf(envelope({ data: { id: "newest" } })));
    await until(async () => expect(await receiver.inbox.count()).toMatchObject({ handled: 2 }));
    clock.now = NOW + 3 * DAY;
    expect(await prune(opened, TERMS)).toMatchObject({ pruned: 0 });
    expect(await receiver.accept(ahead)).toMatchObject({ type: "accepted", duplicate: true });
    clock.now++;
    expect(await prune(opened, TERMS)).toMatchObject({ pruned: 1 });
    expect(await receiver.accept(ahead)).toMatchObject({ rejection: { reason: "too_old" } });
    expect(ran).toBe(2);
  });

  it("[case 58] rejects a deleted event that is sent again, even if the clock was set back so that it seems recent", async () => {
    const opened = await openReceiver();
    const { receiver, clock, entries, untilState } = opened;
    let ran = 0;
    receiver.on("*", () => void ran++);
    await receiver.accept(deliveryOf(envelope()));
    await untilState("handled");
    await receiver.accept(deliveryOf("no JSON")); // the newest entry is never deleted
    clock.now = NOW + 31 * DAY;
    await prune(opened);
    clock.now = NOW + MINUTE;
    const rejection = { reason: "too_old", field: "timestamp" };
    expect(await receiver.accept(deliveryOf(envelope()))).toMatchObject({ rejection });
    const late = { reason: "too_old", state: "dead" };
    expect(await entries()).toMatchObject([{ reason: "invalid_json" }, late]);
    expect(ran).toBe(1);
  });

  it("runs soon after the start and then regularly until it is stopped, and logs failures", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { log, lines } = keptLog();
    const prune = vi.fn().mockRejectedValueOnce(new Error("full"));
    prune.mockResolvedValue({ changed: 0, next: undefined });
    const inbox = wrapInbox(memoryInbox(), { list: async () => [], prune, slim: prune });
    const retention = new Retention(readOptions({ secret: SECRET, log }), inbox);
    retention.start();
    await vi.advanceTimersByTimeAsync(4999);
    expect(prune).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await turns();
    expect(prune).toHaveBeenCalledTimes(1);
    expect(lines).toMatchObject([{ level: "warn", fields: { error: "full" } }]);
    await vi.advanceTimersByTimeAsync(10 * MINUTE);
    await turns();
    expect(prune).toHaveBeenCalledTimes(3); // entries and deliveries
    await retention.stop();
    await vi.advanceTimersByTimeAsync(60 * MINUTE);
    expect(prune).toHaveBeenCalledTimes(3);
    expect(lines).toHaveLength(1);
  });
});
