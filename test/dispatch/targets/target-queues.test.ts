import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { PendingWork } from "../../../src/base/pending-work.ts";
import type { Claiming } from "../../../src/dispatch/claiming.ts";
import type { DispatcherOptions } from "../../../src/dispatch/dispatcher-options.ts";
import { TargetQueues } from "../../../src/dispatch/targets/target-queues.ts";
import type { ClaimedEntry } from "../../../src/inbox/claim.ts";
import type { EntryFilter } from "../../../src/inbox/entry-filter.ts";
import { AT } from "../../inbox/entries.ts";
import { QUICK } from "../open.ts";

const APP = { name: "app" };
const wanted = { target: "app", after: 0, limit: 5, except: [] };

/** What the inbox was told. */
let rescheduled: [EntryFilter, number][];
let claims: number;
let queues: TargetQueues;

function open(options: Partial<DispatcherOptions> = {}) {
  const inbox = {
    claim: async () => {
      claims++;
      return [];
    },
    reschedule: async (filter: EntryFilter, at: number) => rescheduled.push([filter, at]),
    waiting: async () => [],
  } as Partial<DispatcherOptions["inbox"]>;
  const all = {
    inbox,
    sources: ["service"],
    clock: () => AT,
    leaseTime: 1000,
    runner: "0a",
    retry: QUICK,
    ...options,
  };
  const claiming = {
    except: () => [],
    wake: () => {},
    failures: { report: (thrown: unknown) => expect.fail(String(thrown)), end: () => {} },
    claims: new PendingWork(),
  };
  return new TargetQueues(all as DispatcherOptions, claiming as Partial<Claiming> as Claiming);
}

const entry = (seq: number) => ({ seq, orderKey: null }) as ClaimedEntry;
const away = (seq: number) => queues.tried(APP, entry(seq), "away", undefined);

beforeEach(() => {
  vi.useFakeTimers();
  [rescheduled, claims] = [[], 0];
  queues = open();
});

afterEach(async () => {
  await queues.stop();
  vi.useRealTimers();
});

it("a process that only receives claims nothing in turn", async () => {
  expect(await open({ role: "receive" }).claim(wanted)).toEqual([]);
  expect(claims).toBe(0);
  await queues.claim(wanted);
  expect(claims).toBe(1);
});

it("an entry joins its queue once its result is stored: it is due at once if nothing waits any more", async () => {
  away(1);
  queues.hold(APP, entry(2));
  // a round that finds nothing: the target is no longer away
  await vi.advanceTimersByTimeAsync(1000);
  queues.stored(3);
  expect(rescheduled).toEqual([]);
  queues.stored(2);
  queues.stored(2);
  expect(rescheduled).toEqual([[{ seqs: [2], sources: ["service"] }, AT]]);
});

it("nothing is tried in turn, nor made due, once they are stopped", async () => {
  away(1);
  queues.hold(APP, entry(2));
  await queues.stop();
  queues.stored(2);
  await vi.advanceTimersByTimeAsync(10_000);
  expect([claims, rescheduled]).toEqual([0, []]);
});

it("a target has no queue until it is away or refuses an entry", () => {
  queues.tried(APP, entry(1), "took", undefined);
  expect(queues.holds(APP, entry(2))).toBe(false);
  away(1);
  expect([queues.holds(APP, entry(2)), queues.holds({ name: "other" }, entry(2))]).toEqual([
    true,
    false,
  ]);
  expect(queues.atOnce.holds(APP, entry(2))).toBe(false);
});
