import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { TargetEnd } from "../../src/dispatch/plan/target.ts";
import {
  type ReadyEntry,
  TargetQueue,
  type Wanted,
} from "../../src/dispatch/targets/target-queue.ts";
import type { ClaimedEntry } from "../../src/inbox/claim.ts";

/** The results of each entry's tries in turn, by its number; the last repeats. */
let ends: Record<number, TargetEnd[]>;
let tried: number[];
let givenBack: number[];
let claims: Wanted[];
let hastened: object[];
/** Called with each claim, before it returns. */
let onClaim: () => void;
let queue: TargetQueue;

beforeEach(() => {
  vi.useFakeTimers();
  [ends, tried, givenBack, claims, hastened, onClaim] = [{}, [], [], [], [], () => {}];
  queue = new TargetQueue(
    { name: "app" },
    { claim, makeDue: (entries) => void hastened.push(entries) },
  );
});

afterEach(async () => {
  await queue.stop();
  vi.useRealTimers();
});

/** Claims from `ends`: an entry whose last end was `took` waits no longer. */
async function claim(wanted: Wanted): Promise<readonly ReadyEntry[]> {
  claims.push(wanted);
  onClaim();
  const seqs = Object.keys(ends).map(Number);
  const left = seqs
    .filter((seq) => seq > wanted.after && !wanted.except.includes(seq))
    .slice(0, wanted.limit);
  return left.map((seq) => ({
    seq,
    run: async () => {
      tried.push(seq);
      const [end = "took", ...rest] = ends[seq] ?? [];
      if (end === "took") delete ends[seq];
      else if (rest.length > 0) ends[seq] = rest;
      return { end, asked: undefined };
    },
    giveBack: () => void givenBack.push(seq),
  }));
}

/** An entry as the queue sees it. */
function entry(seq: number, orderKey: string | null = null): ClaimedEntry {
  return { seq, orderKey, waits: [] } as Partial<ClaimedEntry> as ClaimedEntry;
}

/** Lets the next round begin and end. */
async function pass(ms = 1000): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}

it("an entry is held while its target is away, and no longer once all that waits was tried", async () => {
  expect(queue.holds(entry(1))).toBe(false);
  queue.tried(entry(1), "away", undefined);
  expect(queue.holds(entry(2))).toBe(true);
  ends = { 1: ["away", "took"], 2: ["took"] };
  await pass();
  expect([tried, queue.holds(entry(3))]).toEqual([[1], true]);
  await pass();
  expect([tried, queue.holds(entry(3))]).toEqual([[1, 1, 2], false]);
});

it("entries with an order key are held only until the target answers", async () => {
  queue.tried(entry(1), "away", undefined);
  expect(queue.holds(entry(2, "key"))).toBe(true);
  ends = { 1: ["took"] };
  const held: boolean[] = [];
  onClaim = () => held.push(queue.holds(entry(2, "key")), queue.holds(entry(2)));
  await pass();
  expect(held).toEqual([true, true, false, true]);
});

it("one entry is claimed while the target is away, and more once it answers; the rest is given back", async () => {
  queue.tried(entry(1), "away", undefined);
  ends = { 1: ["took"], 2: ["away"], 3: ["took"] };
  await pass();
  expect(claims.map(({ limit }) => limit)).toEqual([1, 20]);
  expect([tried, givenBack]).toEqual([[1, 2], [3]]);
});

it("an entry that joined while it could be missed is made due at the end of the round", async () => {
  queue.tried(entry(5), "away", undefined);
  ends = { 5: ["took"], 6: ["took"] };
  onClaim = () => {
    if (claims.length === 2) queue.joined(2);
  };
  await pass();
  expect(hastened).toEqual([{ seqs: [2] }]);
});

it("an entry that joined during the last claim is claimed once more", async () => {
  queue.tried(entry(1), "away", undefined);
  ends = { 1: ["took"] };
  onClaim = () => {
    if (claims.length !== 2) return;
    queue.joined(9);
    queueMicrotask(() => {
      ends[9] = ["took"];
    });
  };
  await pass();
  expect(claims.length).toBeGreaterThan(2);
  expect(tried).toEqual([1, 9]);
  expect(hastened).toEqual([]);
});

it("an entry that is stored as waiting after the target is back is made due", async () => {
  queue.tried(entry(1), "away", undefined);
  ends = { 1: ["took"] };
  await pass();
  queue.joined(7);
  expect(hastened).toEqual([{ seqs: [7] }]);
});

it("an entry that failed before the next was taken is set aside: no longer held, and left out of rounds", async () => {
  queue.tried(entry(1), "perhaps", undefined);
  ends = { 1: ["perhaps"], 2: ["took"] };
  await pass();
  expect(tried).toEqual([1, 2]);
  queue.tried(entry(3), "away", undefined);
  expect([queue.holds(entry(1)), queue.holds(entry(3))]).toEqual([false, true]);
  await pass();
  expect(claims.at(-1)?.except).toEqual([1]);
});

it("an entry that was set aside is forgotten once it has ended, and the oldest of more than 200", async () => {
  const all = Array.from({ length: 201 }, (_, index) => 2 * index + 1);
  ends = Object.fromEntries(
    all.flatMap((seq) => [
      [seq, ["perhaps"]],
      [seq + 1, ["took"]],
    ]),
  );
  queue.tried(entry(1), "perhaps", undefined);
  await pass();
  queue.tried(entry(999), "away", undefined);
  await pass();
  expect(claims.at(-1)?.except).toEqual(all.slice(1));
  for (const seq of all) queue.forget(seq);
  queue.tried(entry(999), "away", undefined);
  await pass();
  expect(claims.at(-1)?.except).toEqual([]);
});

it("two such failures in a row mean that the target is away", async () => {
  queue.tried(entry(1), "perhaps", undefined);
  ends = { 1: ["perhaps"], 2: ["perhaps"], 3: ["took"] };
  await pass();
  expect([tried, queue.holds(entry(1))]).toEqual([[1, 2], true]);
});

it("while entries are refused, only the oldest is tried, every two seconds", async () => {
  queue.tried(entry(1), "answered", undefined);
  ends = { 1: ["answered"], 2: ["answered"] };
  await pass(1999);
  expect(tried).toEqual([]);
  await pass(1);
  await pass(2000);
  expect([tried, queue.holds(entry(3))]).toEqual([[1, 1], false]);
  ends = { 1: ["took"], 2: ["took"] };
  await pass(2000);
  expect(tried).toEqual([1, 1, 1, 2]);
});

it("nothing is tried any more once it is stopped", async () => {
  queue.tried(entry(1), "away", undefined);
  ends = { 1: ["took"] };
  await queue.stop();
  await pass(10_000);
  expect(tried).toEqual([]);
});

it("of two reasons to wait, the earlier time counts", async () => {
  ends = { 1: ["answered"], 2: ["answered"] };
  queue.tried(entry(1), "answered", undefined);
  queue.tried(entry(2), "away", undefined);
  await pass(999);
  expect(claims).toEqual([]);
  await pass(1);
  expect(claims[0]).toMatchObject({ target: "app", after: 0, limit: 1 });
  const before = claims.length;
  queue.tried(entry(1), "away", undefined);
  queue.tried(entry(2), "answered", 5000);
  await pass(1000);
  expect(claims.length).toBeGreaterThan(before);
});

it.each([
  ["away", 5000, 5000],
  ["answered", 5000, 5000],
  ["answered", 1, 2000],
  ["away", 1, 1000],
  ["away", 1e12, 600_000],
] as const)(
  "a target that was %s and asks for %i ms is tried after %i",
  async (end, asked, after) => {
    ends = { 1: ["away"] };
    queue.tried(entry(1), end, asked);
    await pass(after - 1);
    expect(claims).toEqual([]);
    await pass(1);
    expect(claims).toHaveLength(1);
  },
);

it("an entry that its target takes after failures starts a round of all that waits", async () => {
  ends = { 2: ["took"], 3: ["took"] };
  const waiting = (target: string, attempts: number) =>
    ({ ...entry(1), waits: [{ target, attempts }] }) as never;
  queue.tried(waiting("app", 0), "took", undefined);
  queue.tried(waiting("other", 1), "took", undefined);
  await pass(0);
  expect(claims).toEqual([]);
  const held: boolean[] = [];
  onClaim = () => held.push(queue.holds(entry(9)), queue.holds(entry(9, "key")));
  queue.tried(waiting("app", 1), "took", undefined);
  await pass(0);
  expect([tried, claims[0]?.limit, held.slice(0, 2)]).toEqual([[2, 3], 20, [true, false]]);
});

it("a store that fails is asked again after a second", async () => {
  const wanted: Wanted[] = [];
  const failing = new TargetQueue(
    { name: "app" },
    { claim: async (one) => void wanted.push(one) as undefined, makeDue: () => {} },
  );
  failing.tried(entry(1), "away", undefined);
  await pass(1000);
  await pass(999);
  expect(wanted).toHaveLength(1);
  await pass(1);
  expect(wanted).toHaveLength(2);
  await failing.stop();
});

it("if nothing waits any more, nothing is held, and nothing is claimed again", async () => {
  queue.tried(entry(1), "away", undefined);
  await pass();
  expect([claims.length, queue.holds(entry(2))]).toEqual([1, false]);
  await pass(10_000);
  expect(claims).toHaveLength(1);
});

it("a failure repeats if it is the same as the one before", () => {
  expect(["a", "a", null, null, "a"].map((failure) => queue.repeats(failure))).toEqual([
    false,
    true,
    false,
    true,
    false,
  ]);
});

it("entries are held again once one that is retried for an answer finds the target perhaps away", async () => {
  queue.tried(entry(1), "answered", undefined);
  expect(queue.holds(entry(2))).toBe(false);
  ends = { 1: ["perhaps", "took"] };
  await pass(2000);
  expect([tried, queue.holds(entry(2))]).toEqual([[1], true]);
});
