import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  createReceiver,
  type Delivery,
  HookporterError,
  type Incoming,
} from "../../src/entries/index.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import { sqliteInbox } from "../../src/inbox/sqlite.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import type { DeliveryObservation } from "../../src/receiver/observation.ts";
import { makeReceiver, openReceiver } from "./open.ts";
import {
  accept,
  bytes,
  deliveryOf,
  envelope,
  freshEnvelope,
  gate,
  inboxFile,
  keptLog,
  NOW,
  partsOf,
  SECRET,
  signedHeaders,
  until,
  wrapInbox,
} from "./sample.ts";

const GOOD = bytes(envelope());

function incoming(parts: Partial<Incoming> = {}): Incoming {
  const headers = signedHeaders(GOOD);
  return { method: "POST", target: "/in", path: "/in", headers, read: async () => GOOD, ...parts };
}

describe("createReceiver", () => {
  it("opens nothing and reads nothing before start()", () => {
    const { log } = keptLog();
    const untouched = new Proxy({} as Inbox, {
      get: (_, name) => () => {
        throw new Error(`called ${String(name)}`);
      },
    });
    const receiver = createReceiver({ secret: SECRET, inbox: handleOf(untouched), log });
    receiver.on("*", () => {});
    expect(inboxOf(receiver)).toBe(untouched);
  });

  it("passes handlers the event and its context", async () => {
    const { receiver, untilState } = await openReceiver({ source: "agency" });
    const seen: unknown[] = [];
    receiver.on("payment.received", (event, context) => void seen.push({ event, context }));
    const sent = envelope({ id: "evt_own", more: { kept: true } });
    await receiver.accept(deliveryOf(sent));
    await untilState("handled");
    const { event: kind, timestamp, data, webhook } = sent;
    const event = { id: "evt_own", kind, timestamp, data, webhook, source: "agency" };
    const context = {
      attempt: 1,
      seq: 1,
      orderKey: null,
      delivery: { ...deliveryOf(sent), body: Uint8Array.from(bytes(sent)) },
      signal: expect.any(AbortSignal),
      log: expect.objectContaining({ info: expect.any(Function) }),
      note: expect.any(Function),
    };
    expect(seen).toEqual([{ event: { ...event, envelope: sent }, context }]);
  });

  it("[case 77] lets nobody see what a handler or a listener changes in a delivery", async () => {
    const { receiver, seen, untilState } = await openReceiver({ retry: { attempts: 1 } });
    const headers = { ...signedHeaders(GOOD), "x-tag": "one" };
    const met: unknown[] = [];
    const change = ({ delivery }: { readonly delivery: Delivery }) => {
      met.push([delivery.headers["x-tag"], Buffer.from(delivery.body).toString()]);
      (delivery.headers as Record<string, string>)["x-tag"] = "changed";
      delivery.body.fill(0);
    };
    receiver.onDead(change);
    receiver.onDead((letter) => change(letter));
    receiver.on("payment.*", (_, context) => change(context));
    receiver.on("*", (_, context) => {
      change(context);
      throw new Error("no");
    });
    await receiver.receive(incoming({ headers, read: async () => Buffer.from(GOOD) }));
    await untilState("dead");
    await until(() => expect(met).toHaveLength(4));
    expect(met).toEqual(Array(4).fill(["one", GOOD.toString()]));
    const [observed] = seen as readonly DeliveryObservation[];
    expect(observed?.headers).toMatchObject({ "x-tag": "one" });
    expect(Buffer.from(observed?.delivery?.body ?? []).toString()).toBe(GOOD.toString());
  });
});

describe("start", () => {
  it("cannot be called after close(), which may be called before it", async () => {
    const { receiver } = makeReceiver();
    await receiver.close();
    await expect(receiver.start()).rejects.toMatchObject({ code: "closed" });
  });
});

describe("replaceHandlers", () => {
  it("replaces all of them at once", async () => {
    const { receiver, untilState } = await openReceiver();
    const old = vi.fn();
    receiver.on("*", old);
    receiver.onUnknown(old);
    receiver.onDead(old);
    const ran = vi.fn();
    receiver.replaceHandlers((registry) => registry.on("payment.received", () => ran()));
    await receiver.accept(deliveryOf(envelope()));
    await untilState("handled");
    await receiver.accept(deliveryOf(envelope({ event: "lease.signed" })));
    await receiver.accept(deliveryOf("no JSON"));
    await until(async () =>
      expect(await inboxOf(receiver).counts()).toMatchObject({ handled: 1, received: 1, dead: 1 }),
    );
    expect(ran).toHaveBeenCalledOnce();
    expect(old).not.toHaveBeenCalled();
  });

  it("keeps the old ones if the new ones cannot be registered", async () => {
    const { receiver, untilState } = await openReceiver();
    const old = vi.fn();
    const half = vi.fn();
    receiver.on("payment.received", () => old());
    const replace = () =>
      receiver.replaceHandlers((registry) => {
        registry.on("*", half);
        registry.on("payment.recieved" as "*", half);
      });
    expect(replace).toThrow(expect.objectContaining({ code: "option_invalid" }));
    await receiver.accept(deliveryOf(envelope()));
    await untilState("handled");
    expect(old).toHaveBeenCalledOnce();
    expect(half).not.toHaveBeenCalled();
  });

  it("lets running entries finish with the handlers they started with", async () => {
    const { receiver, untilState } = await openReceiver();
    const held = gate();
    const first = vi.fn(() => held.opened);
    const second = vi.fn();
    const late = vi.fn();
    receiver.on("*", first);
    receiver.on("*", () => second());
    await receiver.accept(deliveryOf(envelope()));
    await until(() => expect(first).toHaveBeenCalled());
    receiver.replaceHandlers((registry) => registry.on("*", () => late()));
    held.open();
    await untilState("handled");
    expect(second).toHaveBeenCalledOnce();
    expect(late).not.toHaveBeenCalled();
  });
});

describe("observe", () => {
  it("reports the answer and each attempt, with the entry's state afterwards", async () => {
    const retry = { delay: 0, maxDelay: 0, jitter: 0 };
    const { receiver, clock, seen, untilState } = await openReceiver({ retry });
    receiver.on("*", (_, { attempt }) => {
      if (attempt === 1) throw new Error("not yet");
    });
    // credentials and hop-by-hop headers are not kept
    const others = { cookie: "session", authorization: "Basic x", connection: "close" };
    await receiver.receive(incoming({ headers: { ...signedHeaders(GOOD), ...others } }));
    await untilState("handled");
    const request = {
      method: "POST",
      target: "/in",
      headers: signedHeaders(GOOD),
      receivedAt: clock.now,
    };
    const attempt = { type: "attempt", seq: 1 };
    expect(seen).toEqual([
      {
        type: "delivery",
        ...request,
        duration: expect.any(Number),
        bytes: GOOD.length,
        outcome: expect.objectContaining({ type: "accepted", seq: 1 }),
        delivery: { ...request, body: GOOD },
      },
      expect.objectContaining({ ...attempt, attempt: 1, state: "failing", reason: null }),
      expect.objectContaining({
        ...attempt,
        attempt: 2,
        state: "handled",
        kind: "payment.received",
      }),
    ]);
    const records = [{ handler: "*", outcome: "error", error: "not yet" }];
    expect(seen[1]).toMatchObject({ records });
  });

  it("reports how long a delivery took, from its head to its answer", async () => {
    const { receiver, seen } = await openReceiver();
    let readMs = 0;
    const read = async () => {
      const start = performance.now();
      await new Promise((resolve) => setTimeout(resolve, 20));
      readMs = performance.now() - start;
      return GOOD;
    };
    const before = performance.now();
    await receiver.receive(incoming({ read }));
    const wholeMs = performance.now() - before;
    const [told] = seen.flatMap((observation) =>
      observation.type === "delivery" ? [observation.duration] : [],
    );
    // Rounded to hundredths.
    expect(told).toBeGreaterThanOrEqual(readMs - 0.01);
    expect(told).toBeLessThanOrEqual(wholeMs + 0.01);
  });

  it("reports the body only if it is authentic", async () => {
    const { receiver, seen } = await openReceiver();
    await receiver.receive(incoming({ headers: {} }));
    await receiver.receive(incoming({ read: async () => "too_large" }));
    const rejected = bytes("no JSON");
    await receiver.receive(
      incoming({ headers: signedHeaders(rejected), read: async () => rejected }),
    );
    const told = seen.flatMap((observation) =>
      observation.type === "delivery" ? [observation] : [],
    );
    expect(told.map(({ outcome, delivery }) => [outcome.type, delivery !== undefined])).toEqual([
      ["unauthorized", false],
      ["refused", false],
      ["rejected", true],
    ]);
  });

  it("unsubscribes only that listener", async () => {
    const { receiver } = await openReceiver();
    const listener = vi.fn();
    const other = vi.fn();
    const stop = receiver.observe(listener);
    receiver.observe(other);
    await receiver.receive(incoming({ method: "GET" }));
    stop();
    stop();
    await receiver.receive(incoming({ method: "GET" }));
    expect(listener).toHaveBeenCalledOnce();
    expect(other).toHaveBeenCalledTimes(2);
  });
});

describe("onDead", () => {
  it("is called once for an event whose attempts are exhausted, with the last error", async () => {
    const { receiver, untilState } = await openReceiver({
      retry: { attempts: 2, delay: 0, maxDelay: 0 },
    });
    const told = vi.fn();
    receiver.onDead(told);
    receiver.on("*", (_, { attempt }) => Promise.reject(new Error(`failure ${attempt}`)));
    await receiver.accept(deliveryOf(envelope({ id: "evt_own" })));
    await untilState("dead");
    await until(() => expect(told).toHaveBeenCalled());
    await receiver.accept(deliveryOf(envelope({ id: "evt_own" })));
    expect(told).toHaveBeenCalledExactlyOnceWith({
      seq: 1,
      eventId: "evt_own",
      kind: "payment.received",
      reason: "attempts_exhausted",
      problems: [],
      error: "failure 2",
      delivery: await inboxOf(receiver).delivery(1),
      event: expect.objectContaining({
        id: "evt_own",
        kind: "payment.received",
        source: "service",
      }),
    });
  });

  it("[case 78] calls the other listeners if one throws or rejects, and the answer is unaffected", async () => {
    const { receiver, lines } = await openReceiver();
    const told = vi.fn();
    const fail = () => {
      throw new Error("at once");
    };
    receiver.onDead(fail);
    receiver.onDead(() => Promise.reject(new Error("later")));
    receiver.onDead(told);
    receiver.observe(fail);
    receiver.observe(told);
    expect((await receiver.receive(incoming({ method: "GET", headers: {} }))).status).toBe(405);
    expect(told).toHaveBeenCalledOnce();
    expect(await receiver.accept(deliveryOf("no JSON"))).toMatchObject({ type: "rejected" });
    await until(() => expect(lines.map(({ level }) => level)).toEqual(Array(3).fill("error")));
    expect(told).toHaveBeenCalledTimes(2);
  });

  it("is not called after its unsubscribe function", async () => {
    const { receiver } = await openReceiver();
    const called = vi.fn();
    receiver.onDead(called)();
    expect(await receiver.accept(deliveryOf("no JSON"))).toMatchObject({ type: "rejected" });
    expect(called).not.toHaveBeenCalled();
  });
});

describe("close", () => {
  it("[case 80] waits for deliveries in progress, and stores them", async () => {
    const order: string[] = [];
    const real = memoryInbox();
    const close = () => real.close().then(() => void order.push("closed"));
    const held = gate();
    const reading = vi.fn();
    const validate = async (value: unknown) => {
      reading();
      await held.opened;
      return { value };
    };
    const slow = { "~standard": { version: 1, vendor: "test", validate } } as never;
    const { receiver } = await openReceiver({
      inbox: handleOf(wrapInbox(real, { close })),
      schemas: { "payment.received": slow },
    });
    const accepting = receiver
      .accept(deliveryOf(envelope()))
      .then(({ type }) => void order.push(type));
    await until(() => expect(reading).toHaveBeenCalled());
    const closed = receiver.close();
    await turns();
    held.open();
    await Promise.all([accepting, closed]);
    expect(order).toEqual(["accepted", "closed"]);
  });

  it("[case 80] accepts a request that it was reading before, and no others", async () => {
    const { receiver } = await openReceiver();
    const held = gate();
    const before = receiver.receive(incoming({ read: () => held.opened.then(() => GOOD) }));
    const closed = receiver.close();
    expect(await receiver.receive(incoming())).toMatchObject({ status: 503 });
    held.open();
    expect(await before).toMatchObject({ status: 200 });
    await closed;
  });

  it("[case 80] refuses a request that it is still reading after `drainTimeout`", async () => {
    const { receiver } = await openReceiver({ drainTimeout: 0 });
    const held = gate();
    const before = receiver.receive(incoming({ read: () => held.opened.then(() => GOOD) }));
    await receiver.close();
    held.open();
    expect(await before).toMatchObject({ status: 503 });
  });

  it("[case 80] does not wait for a request that comes later", async () => {
    const { receiver } = await openReceiver();
    const held = [gate(), gate()];
    const reading = (number: number) =>
      incoming({ read: () => held[number]?.opened.then(() => GOOD) as never });
    const before = receiver.receive(reading(0));
    vi.useFakeTimers({ toFake: ["setTimeout"] }); // so that no time-out ends the wait
    onTestFinished(() => void vi.useRealTimers());
    const closed = receiver.close();
    const late = receiver.receive(reading(1));
    held[0]?.open();
    expect(await before).toMatchObject({ status: 200 });
    await closed; // the late one is still being read
    held[1]?.open();
    expect(await late).toMatchObject({ status: 503 });
  });

  /**
   * A receiver that runs one of its two entries until `held` is opened, and how many it has begun.
   */
  async function runningOneOfTwo() {
    const inbox = memoryInbox();
    const { receiver } = await openReceiver({
      concurrency: 1,
      drainTimeout: 5000,
      inbox: handleOf(inbox),
    });
    const held = gate();
    let ran = 0;
    receiver.on("*", async () => {
      ran++;
      await held.opened;
    });
    await receiver.accept(deliveryOf(freshEnvelope()));
    await receiver.accept(deliveryOf(freshEnvelope()));
    await until(() => expect(ran).toBe(1));
    return { receiver, inbox, held, ran: () => ran };
  }

  it("[case 80] waits for running handlers, and starts no others", async () => {
    const { receiver, inbox, held, ran } = await runningOneOfTwo();
    const closed = receiver.close();
    expect(await receiver.accept(deliveryOf(freshEnvelope()))).toMatchObject({
      type: "unavailable",
    });
    held.open();
    await closed;
    expect(ran()).toBe(1);
    expect(await inbox.counts()).toMatchObject({ handled: 1, waiting: 1 });
  });

  it("[case 80] starts no handler while it still reads a request", async () => {
    const { receiver, inbox, held, ran } = await runningOneOfTwo();
    const body = gate();
    const before = receiver.receive(incoming({ read: () => body.opened.then(() => GOOD) }));
    const closed = receiver.close();
    held.open();
    // in which another one would be claimed
    await new Promise((resolve) => setTimeout(resolve, 50));
    body.open();
    expect(await before).toMatchObject({ status: 200 });
    await closed;
    expect(ran()).toBe(1);
    expect(await inbox.counts()).toMatchObject({ handled: 1, waiting: 2 });
  });

  it("[case 76] ends an entry that killed its process too often as a dead letter, and does not run it again", async () => {
    const path = inboxFile();
    await keepOnly(path, 2);
    const next = await openReceiver({ inbox: path, retry: { attempts: 2 } });
    const ran = vi.fn();
    const dead = vi.fn();
    next.receiver.on("*", () => ran());
    next.receiver.onDead(dead);
    await next.untilState("dead");
    await until(() => expect(dead).toHaveBeenCalledOnce());
    expect(ran).not.toHaveBeenCalled();
    expect(await next.entry()).toMatchObject({ reason: "attempts_exhausted", attempts: 2 });
    const attempt = next.seen.find(({ type }) => type === "attempt");
    expect(attempt).toMatchObject({ state: "dead", attempt: 2 });
  });
});

/** Stores an event as if `claims` processes had been killed while handling it. */
async function keepOnly(path: string, claims: number): Promise<void> {
  const inbox = sqliteInbox(path);
  await inbox.open();
  const parts = partsOf({
    secret: SECRET,
    inbox: handleOf(inbox),
    log: keptLog().log,
    clock: () => NOW,
  });
  expect(await accept(deliveryOf(envelope()), parts)).toMatchObject({ type: "accepted" });
  for (let time = 0; time < claims; time++) await inbox.claim({ now: NOW, limit: 1, leaseTime: 0 });
  await inbox.close();
}

describe("receive", () => {
  it("reads a body with the limits of its options", async () => {
    const { receiver } = await openReceiver();
    const read = vi.fn(async () => GOOD);
    await receiver.receive(incoming({ read }));
    const budget = expect.anything();
    expect(read).toHaveBeenCalledExactlyOnceWith({ limit: 1_048_576, timeout: 10_000, budget });
  });

  it.each<[string, unknown]>([
    ["an error", new Error("reader")],
    ["undefined", undefined],
    ["a string", "reader"],
  ])("answers 500 if reading the body throws %s", async (_, thrown) => {
    const { receiver, lines } = await openReceiver();
    const { status } = await receiver.receive(incoming({ read: () => Promise.reject(thrown) }));
    expect(status).toBe(500);
    expect(lines).toMatchObject([{ level: "error" }]);
  });
});

describe("the lifecycle of a receiver", () => {
  const openLater = (drainTimeout = 20) => {
    const { opened, open } = gate();
    const calls: string[] = [];
    const slow = wrapInbox(memoryInbox(), {
      open: async () => {
        calls.push("open");
        await opened;
      },
      close: async () => void calls.push("close"),
    });
    return { ...makeReceiver({ inbox: handleOf(slow), drainTimeout }), open, calls };
  };

  it("starts once, and accepts deliveries from the end of start() to the call of close()", async () => {
    const { receiver, open, calls } = openLater();
    const ready: boolean[] = [receiver.ready];
    const starting = receiver.start();
    ready.push(receiver.ready);
    await expect(receiver.start()).rejects.toMatchObject({ code: "closed" });
    expect(await receiver.accept(deliveryOf(GOOD))).toMatchObject({
      type: "unavailable",
      error: { code: "closed" },
    });
    open();
    await starting;
    ready.push(receiver.ready);
    const closing = receiver.close();
    ready.push(receiver.ready);
    await closing;
    expect(ready).toEqual([false, false, true, false]);
    expect(calls).toEqual(["open", "close"]);
  });

  it("waits for an inbox that start() is opening, for drainTimeout at most, and closes it", async () => {
    for (const isPatient of [true, false]) {
      const { receiver, open, calls } = openLater(isPatient ? 10_000 : 20);
      const starting = receiver.start();
      const closing = receiver.close().then(() => calls.push("close() ended"));
      if (!isPatient) await closing;
      await turns();
      open();
      await expect(starting).rejects.toMatchObject({ code: "closed" });
      await closing;
      const end = isPatient ? ["close", "close() ended"] : ["close() ended", "close"];
      expect(calls).toEqual(["open", ...end]);
      expect(receiver.ready).toBe(false);
    }
  });

  it("checkReady() says why deliveries are refused, and reads the inbox", async () => {
    const store = memoryInbox();
    const nextRunAt = vi.fn(store.nextRunAt.bind(store));
    const inbox = handleOf(wrapInbox(store, { nextRunAt }));
    const { receiver } = makeReceiver({ inbox, poll: 60_000 });
    expect(await receiver.checkReady()).toBe("closed");
    await receiver.start();
    expect(await receiver.checkReady()).toBe(undefined);
    nextRunAt.mockRejectedValueOnce(new HookporterError("inbox_unreachable", "no answer"));
    expect([receiver.ready, await receiver.checkReady()]).toEqual([true, "inbox_unreachable"]);
    nextRunAt.mockRejectedValueOnce(new TypeError("of the store"));
    expect(await receiver.checkReady()).toBe("inbox_unavailable");
    expect(await receiver.checkReady()).toBe(undefined);
    await receiver.close();
    expect(await receiver.checkReady()).toBe("closed");
  });

  it("can be started again if the inbox could not be opened", async () => {
    const open = vi.fn(async () => {}).mockRejectedValueOnce(new Error("not yet"));
    const { receiver } = makeReceiver({ inbox: handleOf(wrapInbox(memoryInbox(), { open })) });
    await expect(receiver.start()).rejects.toThrow("not yet");
    expect(await receiver.accept(deliveryOf(GOOD))).toMatchObject({ type: "unavailable" });
    await receiver.start();
    expect(receiver.ready).toBe(true);
  });

  it("closes once, however often close() is called", async () => {
    const { receiver, open, calls } = openLater();
    open();
    await receiver.start();
    await Promise.all([receiver.close(), receiver.close()]);
    expect(calls).toEqual(["open", "close"]);
  });
});

it("onDead receives a delivery that is a dead letter from the start, once", async () => {
  const { receiver } = await openReceiver();
  const letters: unknown[] = [];
  receiver.onDead((letter) => letters.push(letter));
  const old = envelope({ id: "evt_own", timestamp: "2020-01-01T00:00:00Z" });
  const unfit = envelope({ event: "property.created", data: { id: 5 } });
  for (const content of [old, "no JSON", unfit, old, "no JSON", unfit])
    await receiver.accept(deliveryOf(content));
  const event = { kind: "payment.received" };
  const problems = expect.arrayContaining([expect.objectContaining({ field: "data.id" })]);
  expect(letters).toMatchObject([
    { kind: "payment.received", reason: "too_old", problems: [], event },
    { kind: null, reason: "invalid_json", problems: [], event: null },
    { kind: "property.created", reason: "invalid_data", problems },
  ]);
});

/** Lets pending work of the event loop proceed. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}
