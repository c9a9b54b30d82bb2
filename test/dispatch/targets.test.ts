import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { NamedHandler } from "../../src/dispatch/plan/handler.ts";
import type { TargetFailure } from "../../src/dispatch/plan/target.ts";
import type { RetryPolicy } from "../../src/entries/client.ts";
import type { ReceiverOptions, TargetOptions } from "../../src/entries/index.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { gate } from "../receiver/sample.ts";
import { numberedDelivery, openRuns, sharedInbox } from "./open.ts";

/**
 * No entry is retried by its own back-off within a test: only its turn at its target can bring it
 * there.
 */
const SLOW: RetryPolicy = {
  attempts: Number.POSITIVE_INFINITY,
  delay: 500_000,
  factor: 1,
  maxDelay: 500_000,
  jitter: 0,
};

const REFUSED = {};
const AWAY: TargetFailure = { away: true };
const PERHAPS: TargetFailure = { away: "perhaps" };

/** How a target reacts to an event, by its number; nothing means that it takes it. */
type Reaction = (number: number) => TargetFailure | undefined | Promise<TargetFailure | undefined>;

describe("entries whose target does not answer", () => {
  let inbox: Inbox;
  let opened: Awaited<ReturnType<typeof openRuns>>;
  let tried: number[];
  let taken: number[];
  let reaction: Reaction;

  beforeEach(() => {
    // Time passes in `until` only, so no test waits for a second try.
    vi.useFakeTimers({
      toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"],
    });
    inbox = sharedInbox();
    tried = [];
    taken = [];
    reaction = () => undefined;
  });

  afterEach(async () => {
    await close();
    vi.useRealTimers();
  });

  /** A handler that sends to a target, which reacts as the test says. */
  const sender = (
    target: TargetOptions,
    react: Reaction = (number) => reaction(number),
  ): NamedHandler => ({
    name: `to ${target.name}`,
    target,
    handler: async ({ data }: { readonly data: { readonly number: number } }) => {
      const { number } = data;
      tried.push(number);
      const failure = await react(number);
      if (failure !== undefined) throw Object.assign(new Error("no"), failure);
      taken.push(number);
    },
  });

  const start = async (
    handlers: readonly NamedHandler[],
    options: Partial<ReceiverOptions> = {},
  ) => {
    const terms = { retry: SLOW, handlerTimeout: 1000, lease: 1000, poll: 1000, ...options };
    opened = await openRuns(handlers, terms, inbox);
    return opened.receiver;
  };

  const add = async (number: number, key?: string) => {
    const outcome = await opened.deliver(number, key);
    if (outcome.type !== "accepted") throw new Error(`expected to accept, got ${outcome.type}`);
    return outcome.seq;
  };
  const addAll = async (count: number) => {
    for (let number = 1; number <= count; number++) await add(number);
  };
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
  /** Lets time pass, ten milliseconds after each look, until the check no longer throws. */
  const until = async (check: () => unknown) => {
    for (let patience = 2000; ; patience--) {
      try {
        return await check();
      } catch (thrown) {
        if (patience === 0) throw thrown;
      }
      await pass(10);
    }
  };
  const pass = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const close = async () => {
    const closed = opened.receiver.close();
    await pass(1);
    await closed;
  };
  /**
   * Begins to close, which has to wait for a request whose body is still arriving; returns a
   * function with which it has arrived.
   */
  const closeWhileReading = () => {
    const { headers, body, target } = numberedDelivery(99, Date.now());
    const arriving = gate();
    const read = () => arriving.opened.then(() => body);
    void opened.receiver.receive({ method: "POST", target, path: target, headers, read });
    void opened.receiver.close();
    return arriving.open;
  };
  const waiting = async () => (await inbox.waiting())[0]?.entries ?? 0;
  const untilWaiting = (count: number) => until(async () => expect(await waiting()).toBe(count));
  const states = () => opened.states();
  const APP = { name: "app" };

  it("arrive in order of arrival once it answers, one at a time, long before their back-off is over", async () => {
    let up = false;
    let running = 0;
    let most = 0;
    reaction = async () => {
      if (!up) return AWAY;
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return undefined;
    };
    await start([sender(APP)]);
    await addAll(60);
    await untilWaiting(60);
    up = true;
    await until(() => expect(taken).toHaveLength(60));
    expect(taken).toEqual(upTo(60));
    expect(most).toBe(1);
    await until(async () => expect(await waiting()).toBe(0));
    expect(new Set(await states())).toEqual(new Set(["handled"]));
    expect(await inbox.list({})).toMatchObject(upTo(60).map(() => ({ waits: [] })));
  });

  it("are not tried while it is away, but for the oldest, whose repeated probes leave no records", async () => {
    reaction = () => AWAY;
    await start([sender(APP)], { concurrency: 1 });
    await add(1);
    await untilWaiting(1);
    for (const number of [2, 3, 4]) await add(number);
    await untilWaiting(4);
    await until(() => expect(tried.length).toBeGreaterThan(2));
    expect(new Set(tried)).toEqual(new Set([1]));
    const entries = await inbox.list({});
    expect(entries).toMatchObject([
      { attempts: 1, reason: "target_away", waits: [{ target: "app", attempts: 1 }] },
      ...[2, 3, 4].map(() => ({ attempts: 0, reason: "target_away", waits: [{ attempts: 0 }] })),
    ]);
    expect(await inbox.attempts(entries[0]?.seq ?? 0)).toHaveLength(1);
    expect(opened.attempts()).toHaveLength(1);
  });

  it("are joined at the end by events that arrive while they are sent", async () => {
    let up = false;
    reaction = async (number) => {
      if (!up) return AWAY;
      if (number === 2) for (const late of [101, 102, 103]) await add(late);
      return undefined;
    };
    await start([sender(APP)]);
    await addAll(30);
    await untilWaiting(30);
    up = true;
    await until(() => expect(taken).toHaveLength(33));
    expect(taken).toEqual([...upTo(30), 101, 102, 103]);
  });

  it("are sent in parallel with `unordered`, once the oldest was taken", async () => {
    const held = gate();
    let up = false;
    reaction = async (number) => {
      if (!up) return AWAY;
      if (number > 1) await held.opened;
      return undefined;
    };
    await start([sender({ name: "app", unordered: true })]);
    await addAll(8);
    await untilWaiting(8);
    const before = tried.length;
    up = true;
    await until(() => expect(tried.slice(before).filter((number) => number > 1)).toHaveLength(7));
    held.open();
    await until(() => expect(taken).toHaveLength(8));
  });

  it("wait again if it goes away in the middle, and keep their order", async () => {
    let up = false;
    let left = 5;
    reaction = () => (up && left-- > 0 ? undefined : AWAY);
    await start([sender(APP)]);
    await addAll(12);
    await untilWaiting(12);
    up = true;
    await untilWaiting(7);
    left = 100;
    await until(() => expect(taken).toHaveLength(12));
    expect(taken).toEqual(upTo(12));
  });

  it("keep their order over a restart", async () => {
    reaction = () => AWAY;
    await start([sender(APP)]);
    await addAll(30);
    await untilWaiting(30);
    await close();
    expect(new Set(await states())).toEqual(new Set(["waiting"]));
    reaction = () => undefined;
    await start([sender(APP)]);
    await add(31);
    await until(() => expect(taken).toHaveLength(31));
    expect(taken).toEqual(upTo(31));
  });

  it("keep their order over a restart even if all are due by then", async () => {
    reaction = () => REFUSED;
    await start([sender(APP)]);
    await addAll(60);
    await until(() => expect(opened.attempts()).toHaveLength(60));
    await close();
    await inbox.reschedule({}, Date.now());
    reaction = () => undefined;
    // An entry that is stored as waiting cannot be claimed meanwhile, so a later one would pass it.
    const settle = inbox.settle.bind(inbox);
    inbox.settle = async (settlement, now) => {
      if (settlement.state === "waiting") await new Promise((resolve) => setTimeout(resolve, 20));
      return settle(settlement, now);
    };
    await start([sender(APP)]);
    await until(() => expect(taken).toHaveLength(60));
    expect(taken).toEqual(upTo(60));
  });

  it("keep their order after a process was killed in the middle", async () => {
    reaction = () => AWAY;
    await start([sender(APP)]);
    await addAll(30);
    await untilWaiting(30);
    await close();
    // The killed process had claimed the oldest, and one due entry of its own.
    const request = {
      now: Date.now() - 5000,
      limit: 10,
      leaseTime: 1000,
      waitingFor: { target: "app", after: 0 },
    };
    expect(await inbox.claim(request)).toHaveLength(10);
    reaction = () => undefined;
    await start([sender(APP)]);
    await until(() => expect(taken).toHaveLength(30));
    expect(taken).toEqual(upTo(30));
  });

  it("go to the targets of the next run if theirs is gone", async () => {
    reaction = () => AWAY;
    await start([sender({ name: "old" })]);
    await addAll(3);
    await untilWaiting(3);
    await close();
    reaction = () => undefined;
    await start([sender({ name: "new" })]);
    await until(() => expect(taken).toHaveLength(3));
    expect(await inbox.waiting()).toEqual([]);
  });

  it("do not hold back others that go elsewhere, and other handlers run once", async () => {
    let handled = 0;
    const handler = { name: "own", handler: () => void handled++ };
    const other: number[] = [];
    const elsewhere = sender({ name: "other" }, (number) => void other.push(number) as undefined);
    reaction = () => AWAY;
    await start([handler, sender(APP), elsewhere]);
    await addAll(12);
    await until(() => expect(other).toHaveLength(12));
    reaction = () => undefined;
    await until(async () => expect(new Set(await states())).toEqual(new Set(["handled"])));
    expect(taken.filter((number) => !other.includes(number))).toEqual([]);
    expect([handled, other.length, taken.length]).toEqual([12, 12, 24]);
  });

  it("go on with their other handlers once it takes them", async () => {
    const own = { name: "own", handler: () => Promise.reject(new Error("no")) };
    reaction = () => AWAY;
    await start([own, sender(APP)]);
    await add(1);
    await untilWaiting(1);
    reaction = () => undefined;
    await until(() => expect(taken).toEqual([1]));
    await until(async () => expect(await waiting()).toBe(0));
    expect(await inbox.list({})).toMatchObject([
      { state: "failing", finishedHandlers: ["to app"] },
    ]);
  });

  it("run at once if somebody waits for their result", async () => {
    reaction = () => AWAY;
    const running = await start([sender(APP)]);
    await add(1);
    await untilWaiting(1);
    const seq = await add(2);
    await untilWaiting(2);
    reaction = (number) => (number === 2 ? undefined : AWAY);
    expect(await running.runNow(seq)).toMatchObject({ state: "handled" });
  });

  it("are tried by nothing in a process that only receives", async () => {
    reaction = () => AWAY;
    const running = await start([sender(APP)], { role: "receive" });
    const seq = await add(1);
    expect(await running.runNow(seq)).toMatchObject({ state: "failing" });
    await pass(10_000);
    expect(tried).toEqual([1]);
  });

  it.each(["the target is known to be away", "the target goes away only now"])(
    "are not tried any more once nothing is claimed, while requests still come to their end: %s",
    async (when) => {
      const held = gate();
      reaction = () => AWAY;
      if (when.endsWith("now")) reaction = () => held.opened.then(() => AWAY);
      await start([sender(APP)], { drainTimeout: 60_000 });
      await add(1);
      if (when.endsWith("now")) await until(() => expect(tried).toHaveLength(1));
      else await untilWaiting(1);
      const arrive = closeWhileReading();
      held.open();
      const before = tried.length;
      await pass(10_000);
      expect(tried).toHaveLength(before);
      arrive();
      await close();
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  it("are given back if they were claimed for their turn, but nothing is to be claimed any more", async () => {
    reaction = () => AWAY;
    await start([sender(APP)], { drainTimeout: 60_000 });
    await addAll(3);
    await untilWaiting(3);
    const claimed = gate();
    const claim = inbox.claim.bind(inbox);
    vi.spyOn(inbox, "claim").mockImplementationOnce(async (request) => {
      const entries = await claim(request);
      if (request.waitingFor !== undefined) await claimed.opened;
      return entries;
    });
    await until(async () => expect(await states()).toContain("running"));
    const arrive = closeWhileReading();
    const before = tried.length;
    claimed.open();
    await until(async () => expect(await states()).toEqual(["waiting", "waiting", "waiting"]));
    expect(tried).toHaveLength(before);
    const attempts = (await inbox.list({})).map((entry) => entry.attempts);
    // a claim alone does not count
    expect(attempts.reduce((sum, attempt) => sum + attempt)).toBe(before);
    arrive();
  });

  it("keep the order of their key, and go on with it", async () => {
    let up = false;
    reaction = () => (up ? undefined : AWAY);
    await start([sender(APP)]);
    for (const number of upTo(9)) await add(number, `key ${number % 3}`);
    await untilWaiting(3);
    up = true;
    await until(() => expect(taken).toHaveLength(9));
    for (const rest of [0, 1, 2]) {
      const ofKey = taken.filter((number) => number % 3 === rest);
      expect(ofKey).toEqual([...ofKey].sort((a, b) => a - b));
    }
  });

  describe("because of a single event", () => {
    it.each([
      ["is refused", REFUSED],
      ["gets no answer in time", PERHAPS],
    ])("are sent all the same if that event %s each time", async (_, failure) => {
      let up = false;
      reaction = (number) => {
        if (!up) return AWAY;
        return number === 1 ? failure : undefined;
      };
      await start([sender(APP)]);
      await addAll(12);
      await untilWaiting(12);
      up = true;
      await until(() => expect(taken).toEqual(upTo(12).slice(1)));
      await add(13);
      await until(() => expect(taken.at(-1)).toBe(13));
      expect(await waiting()).toBe(1);
    });

    it("are sent all the same if that event brings the target down each time", async () => {
      let crashed = false;
      reaction = (number) => {
        if (number === 1) crashed = true;
        else if (crashed) {
          crashed = false;
          return AWAY;
        }
        return number === 1 ? PERHAPS : undefined;
      };
      await start([sender(APP)], { concurrency: 1 });
      await addAll(5);
      await until(() => expect(taken).toEqual([2, 3, 4, 5]));
    });

    it("forget that event once it has ended", async () => {
      const claim = vi.spyOn(inbox, "claim");
      const passedOver = () =>
        claim.mock.calls.findLast(([{ waitingFor }]) => waitingFor !== undefined)?.[0].except;
      let first: TargetFailure = PERHAPS;
      let up = true;
      reaction = (number) => (number === 1 ? first : up ? undefined : AWAY);
      const receiver = await start([sender(APP)], { concurrency: 1 });
      await addAll(2);
      await until(() => expect(taken).toEqual([2]));
      up = false;
      await add(3);
      await until(() => expect(passedOver()).toEqual([1]));
      first = { final: true };
      expect(await receiver.runNow(1)).toMatchObject({ state: "dead" });
      await until(() => expect(passedOver()).toEqual([]));
    });

    it("pass it only if the target takes the next: two failures mean that it is away", async () => {
      let up = false;
      reaction = () => (up ? undefined : PERHAPS);
      await start([sender(APP)], { concurrency: 1 });
      await addAll(6);
      await untilWaiting(6);
      const before = tried.length;
      await until(() => expect(tried.length).toBeGreaterThan(before + 3));
      expect(Math.max(...tried)).toBe(2);
      up = true;
      await until(() => expect(taken).toEqual(upTo(6)));
    });
  });

  it("are not tried before the time that it asks for, however long that is", async () => {
    reaction = () => ({ away: "perhaps", retryAfter: Number.POSITIVE_INFINITY });
    await start([sender(APP)]);
    await add(1);
    await untilWaiting(1);
    await pass(10_000); // many times as long as between two tries
    expect(tried).toEqual([1]);
  });

  describe("that refused them", () => {
    it("are tried again when the oldest is taken, in order of arrival", async () => {
      let mended = false;
      reaction = () => (mended ? undefined : REFUSED);
      await start([sender(APP)]);
      await addAll(25);
      await until(() => expect(opened.attempts()).toHaveLength(25));
      mended = true;
      await until(() => expect(taken).toHaveLength(25));
      expect(taken).toEqual(upTo(25));
    });

    it("do not hold back new events", async () => {
      reaction = (number) => (number === 1 ? REFUSED : undefined);
      await start([sender(APP)]);
      await addAll(3);
      await until(() => expect(taken.toSorted()).toEqual([2, 3]));
      await until(() => expect(tried.filter((number) => number === 1).length).toBeGreaterThan(1));
      expect(await inbox.attempts(1)).toHaveLength(1);
    });
  });

  describe("are given up on", () => {
    const quick = { ...SLOW, delay: 1, maxDelay: 1 };

    it("after their attempts", async () => {
      reaction = () => REFUSED;
      await start([{ ...sender(APP), attempts: 3 }], { retry: quick });
      await add(1);
      await until(() => expect(opened.dead).toMatchObject([{ reason: "attempts_exhausted" }]));
      expect(tried).toHaveLength(3);
      expect(await inbox.list({})).toMatchObject([
        { waits: [{ attempts: 3, over: "attempts_exhausted" }] },
      ]);
    });

    it("at once if the failure is final", async () => {
      reaction = (number) => (number === 1 ? { final: true } : undefined);
      await start([sender(APP)]);
      await addAll(2);
      await until(() =>
        expect(opened.dead).toMatchObject([{ seq: 1, reason: "refused_for_good" }]),
      );
      await until(() => expect(taken).toEqual([2]));
      expect(tried.toSorted()).toEqual([1, 2]);
    });

    it("once they have waited too long, tried or not", async () => {
      let ahead = 0;
      reaction = () => AWAY;
      await start([sender({ name: "app", maxWait: 60_000 })], {
        clock: () => Date.now() + ahead,
        concurrency: 1,
      });
      await addAll(3);
      await untilWaiting(3);
      ahead = 60_000;
      await until(() => expect(opened.dead).toHaveLength(3));
      expect(opened.dead.map(({ reason }) => reason)).toEqual([
        "waited_too_long",
        "waited_too_long",
        "waited_too_long",
      ]);
    });

    it("without an end for their other handlers and targets", async () => {
      let fails = 2;
      const own: NamedHandler = {
        name: "own",
        handler: () => {
          if (fails-- > 0) throw new Error("not yet");
        },
      };
      reaction = () => ({ final: true });
      await start([sender(APP), own], { retry: quick });
      await add(1);
      await until(() => expect(opened.dead).toMatchObject([{ reason: "refused_for_good" }]));
      expect(tried).toEqual([1]);
      expect(await inbox.list({})).toMatchObject([{ finishedHandlers: ["own"] }]);
    });

    it("if somebody drops them, even the one that is being tried", async () => {
      reaction = () => AWAY;
      await start([sender(APP)]);
      await addAll(4);
      await untilWaiting(4);
      expect(await inbox.drop({ seqs: [1, 2, 3] }, Date.now())).toBe(3);
      reaction = () => undefined;
      await until(() => expect(taken).toEqual([4]));
      const [first, second, third] = await states();
      expect([first, second, third]).toEqual(["dead", "dead", "dead"]);
    });
  });
});
