import { expect, it, vi } from "vitest";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import { sqliteInbox } from "../../src/inbox/sqlite.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { withoutTimers } from "../frozen-timers.ts";
import { json, openReceiver } from "../receiver/open.ts";
import {
  deliveryOf,
  envelope,
  freshEnvelope,
  gate,
  inboxFile,
  until,
  wrapInbox,
} from "../receiver/sample.ts";
import { dial } from "../receiver/wire.ts";
import { caseTitle } from "./catalogue.ts";
import { nowEnvelope } from "./cli.ts";
import { openServer } from "./open.ts";
import { entriesOf, runsOf, startChild } from "./process.ts";

/** A retry policy that runs failed entries again at once. */
const AT_ONCE = { delay: 0, maxDelay: 0 };

it(caseTitle(73), async () => {
  const cyclic: Record<string, unknown> = { name: "cyclic" };
  cyclic.self = cyclic;
  const hostile = Object.defineProperty(new Error("x"), "message", {
    get: () => {
      throw new Error("even its message throws");
    },
  });
  const thrown: readonly unknown[] = [
    new Error("plain"),
    undefined,
    null,
    "text",
    5,
    Symbol("s"),
    cyclic,
    Object.create(null),
    hostile,
    Object.freeze(new Error("frozen")),
    new AggregateError([], ""),
    new Error("é".repeat(10_000_000)),
    { message: 5 },
    { toString: 5 },
    new Proxy({}, { get: () => thrown }),
    [],
    () => {},
  ];
  const { receiver, post, entries, lines, stillServes } = await openServer({
    retry: { ...AT_ONCE, attempts: 2 },
  });
  let next = 0;
  receiver.on("payment.received", ({ data }, { attempt }) => {
    if (data.n === undefined) return undefined;
    const value = thrown[Number(data.n)];
    if (attempt === 1) throw value;
    if (next++ % 2 === 0) return Promise.reject(value);
    return new Promise((_, reject) => {
      reject(value);
      reject(new Error("twice"));
      throw value;
    });
  });
  for (const n of thrown.keys()) await post(envelope({ data: { n } }));
  await until(async () => {
    expect((await entries()).map(({ state }) => state)).toEqual(thrown.map(() => "dead"));
  });
  for (const { seq } of await entries()) {
    const attempts = await inboxOf(receiver).attempts(seq);
    expect(attempts.map(({ attempt, outcome }) => [attempt, outcome])).toEqual([
      [1, "error"],
      [2, "error"],
    ]);
    for (const { error } of attempts) {
      expect(typeof error).toBe("string");
      expect(Buffer.byteLength(error ?? "")).toBeLessThanOrEqual(2048);
    }
  }
  expect(lines.filter(({ level }) => level === "error")).toEqual([]);
  await stillServes();
});

it(caseTitle(73, "the delays grow, with jitter"), async () => {
  const { receiver, post, entry, clock } = await openServer({
    retry: { attempts: 4, delay: 1000, factor: 10, maxDelay: 50_000, jitter: 0.5 },
    random: () => 0.5,
  });
  receiver.on("*", () => {
    throw new Error("no");
  });
  await post(envelope());
  const waits: number[] = [];
  for (const attempts of [1, 2, 3]) {
    await until(async () => expect(await entry()).toMatchObject({ state: "failing", attempts }));
    waits.push((await entry()).runAt - clock.now);
    clock.now = (await entry()).runAt;
  }
  expect(waits).toEqual([750, 7500, 37_500]);
});

it(caseTitle(74), async () => {
  const { receiver, post, entry, untilState, lines } = await openServer({
    handlerTimeout: 40,
    retry: AT_ONCE,
  });
  const held = gate();
  const seen: boolean[] = [];
  let late = false;
  receiver.on("*", async (_, { attempt, signal }) => {
    if (attempt > 1) return;
    signal.addEventListener("abort", () => seen.push(true));
    await held.opened; // ignores the signal
    late = true;
    throw new Error("too late to matter");
  });
  await post(envelope());
  await untilState("handled");
  expect(seen).toEqual([true]);
  const before = await entry();
  held.open();
  await until(() => expect(late).toBe(true));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await entry()).toEqual(before);
  expect((await inboxOf(receiver).attempts(1)).map(({ outcome }) => outcome)).toEqual([
    "timeout",
    "ok",
  ]);
  expect(lines).toEqual([]);
});

it(caseTitle(74, "more of them than run at a time"), async () => {
  const options = { handlerTimeout: 40, concurrency: 2, retry: { ...AT_ONCE, attempts: 1 } };
  const { receiver, post, entries } = await openServer(options);
  receiver.on("payment.received", () => new Promise(() => {}));
  for (let n = 0; n < 6; n++) await post(freshEnvelope());
  // Handlers that timed out free their slots, otherwise the last entries could never run.
  await until(async () => {
    expect((await entries()).map(({ reason }) => reason)).toEqual(
      Array(6).fill("attempts_exhausted"),
    );
  });
});

it(caseTitle(75), async () => {
  const path = inboxFile();
  // It never renews its leases, as if its event loop were blocked.
  const blocked = wrapInbox(sqliteInbox(path), { renew: async () => [] });
  const slow = await openReceiver({ inbox: handleOf(blocked), lease: 1000 });
  const held = gate();
  const ran: string[] = [];
  slow.receiver.on("*", async () => {
    ran.push("slow began");
    await held.opened;
    ran.push("slow ended");
  });
  expect(await slow.receiver.accept(deliveryOf(envelope()))).toMatchObject({ type: "accepted" });
  await until(() => expect(ran).toEqual(["slow began"]));
  const quick = await openReceiver({ inbox: path, lease: 1000 });
  quick.receiver.on("*", () => void ran.push("quick"));
  quick.clock.now += 1001;
  await until(async () =>
    expect(await quick.entry()).toMatchObject({ state: "handled", attempts: 2 }),
  );
  const before = await quick.entry();
  held.open();
  await until(() => expect(slow.lines).toMatchObject([{ level: "warn", fields: { seq: 1 } }]));
  expect(ran).toEqual(["slow began", "quick", "slow ended"]);
  expect(await quick.entry()).toEqual(before);
  expect(await inboxOf(quick.receiver).attempts(1)).toHaveLength(1);
});

it(caseTitle(76), async () => {
  const path = inboxFile();
  for (let time = 0; time < 2; time++) {
    const child = await startChild(path, "exit"); // allows two attempts
    if (time === 0) expect((await child.post(nowEnvelope())).status).toBe(200);
    expect(await child.exited).toEqual([70, null]);
  }
  const third = await startChild(path, "exit");
  const dead = { state: "dead", reason: "attempts_exhausted" };
  await until(async () => expect(await entriesOf(path)).toMatchObject([dead]));
  expect(runsOf(path).map(({ attempt }) => attempt)).toEqual([1, 2]);
  expect((await third.post(nowEnvelope())).status).toBe(200); // the next event is accepted as usual
}, 60_000);

it(caseTitle(77), async () => {
  const { receiver, post, entry, untilState } = await openServer({ retry: AT_ONCE });
  const ran: unknown[] = [];
  receiver.on("*", (event) => {
    ran.push(["vandal", event.data.amount]);
    const open = event as unknown as { data: Record<string, unknown>; kind: string };
    open.data.amount = 0;
    open.kind = "changed";
    open.data = {};
  });
  receiver.on("*", (event, { attempt, delivery }) => {
    ran.push(["second", event.kind, event.data.amount]);
    Buffer.from(delivery.body).fill(0);
    if (attempt === 1) throw new Error("fails once");
  });
  await post(envelope());
  await untilState("handled");
  expect(ran).toEqual([
    ["vandal", 1200],
    ["second", "payment.received", 1200],
    ["second", "payment.received", 1200],
  ]);
  expect(await entry()).toMatchObject({ attempts: 2, finishedHandlers: ["*", "*#2"] });
});

it(caseTitle(78, "listeners"), async () => {
  const { receiver, post, entries, lines, caught, stillServes } = await openServer({
    retry: { ...AT_ONCE, attempts: 1 },
  });
  receiver.observe(() => {
    throw new Error("observer");
  });
  receiver.onDead(() => {
    throw undefined;
  });
  receiver.onDead(() => Promise.reject(new Error("listener")));
  receiver.on("payment.overdue", () => {
    throw new Error("handler");
  });
  expect((await post(envelope({ event: "payment.overdue" }))).status).toBe(200);
  expect((await post("no JSON")).status).toBe(400);
  await until(async () =>
    expect((await entries()).map(({ state }) => state)).toEqual(["dead", "dead"]),
  );
  // Each listener once a minute: two of `onDead`, one of `observe`.
  await until(() => expect(lines.filter(({ level }) => level === "error")).toHaveLength(3));
  expect(caught).toEqual([]);
  await stillServes();
});

it(caseTitle(78, "an unhandled rejection"), async () => {
  const path = inboxFile();
  const first = await startChild(path, "stray");
  expect((await first.post(nowEnvelope())).status).toBe(200);
  expect((await first.exited)[0]).toBe(1);
  const second = await startChild(path);
  await until(() => expect(runsOf(path).map(({ attempt }) => attempt)).toEqual([1, 2]));
  await second.end("SIGTERM");
  expect(await entriesOf(path)).toMatchObject([{ state: "handled", attempts: 2 }]);
}, 60_000);

it(caseTitle(79), async () => {
  const { receiver, post, entry, untilState, clock } = await openServer({
    retry: { ...AT_ONCE, attempts: 3 },
  });
  let broken = true;
  const dead = vi.fn();
  receiver.onDead(dead);
  receiver.on("*", () => {
    if (broken) throw new Error("still broken");
  });
  await post(envelope());
  await untilState("dead");
  expect(await entry()).toMatchObject({ reason: "attempts_exhausted", attempts: 3 });
  expect((await inboxOf(receiver).attempts(1)).map(({ error }) => error)).toEqual(
    Array(3).fill("still broken"),
  );
  expect(dead).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ seq: 1, reason: "attempts_exhausted", error: "still broken" }),
  );
  broken = false;
  const retried = await Promise.all(
    [1, 2, 3].map(() => inboxOf(receiver).retry({ seq: 1 }, clock.now)),
  );
  expect(retried.map(({ ended }) => ended)).toEqual([1, 0, 0]);
  await untilState("handled");
  expect(await entry()).toMatchObject({ attempts: 1 });
  // done entries are not retried
  expect(await inboxOf(receiver).retry({}, clock.now)).toEqual({ due: 0, ended: 0 });
});

it(caseTitle(79, "10 000 at once"), async () => {
  const { receiver } = await openReceiver({ inbox: inboxFile(), poll: 3_600_000 });
  const inbox = inboxOf(receiver);
  const appended = Array.from({ length: 9900 }, (_, n) =>
    inbox.append({
      key: { source: "service", eventId: `evt_${n}`, timestamp: n },
      kind: "x",
      eventTimestamp: n,
      state: "dead",
      reason: "attempts_exhausted",
      orderKey: null,
      delivery: deliveryOf("{}"),
    }),
  );
  await Promise.all(appended);
  expect(await inbox.retry({ states: ["dead"] }, 0)).toEqual({ due: 0, ended: 9900 });
  expect(await inbox.retry({ states: ["dead"] }, 0)).toEqual({ due: 0, ended: 0 });
  // Retried entries wait their turn: a claim returns no more than its limit.
  expect(await inbox.claim({ now: 1, limit: 10, leaseTime: 1000 })).toHaveLength(10);
  expect(await inbox.counts()).toMatchObject({ waiting: 9890, running: 10, dead: 0 });
});

it(caseTitle(80, "SIGTERM under load"), async () => {
  const path = inboxFile();
  const first = await startChild(path, "slow");
  const acknowledged: string[] = [];
  let ended: Promise<void> | undefined;
  await Promise.all(
    Array.from({ length: 200 }, async () => {
      const reply = await first.post(nowEnvelope()).catch(() => undefined);
      if (reply === undefined) return; // not accepted: the sender retries
      expect([200, 503]).toContain(reply.status);
      if (reply.status === 200) acknowledged.push((JSON.parse(reply.text) as { id: string }).id);
      if (acknowledged.length === 50) ended ??= first.end("SIGTERM");
    }),
  );
  await ended;
  expect(await first.exited).toEqual([0, null]);
  const second = await startChild(path);
  await until(() => {
    const ran = new Set(runsOf(path).map(({ id }) => id));
    expect(acknowledged.filter((id) => !ran.has(id))).toEqual([]);
  });
  await second.end("SIGTERM");
}, 60_000);

it(caseTitle(80, "with keep-alive connections"), async () => {
  const { server, url, receiver, post } = await openServer();
  const kept = await fetch(url, { method: "POST", body: "x" }); // fetch keeps the connection open
  await kept.text();
  expect((await post(envelope())).status).toBe(200);
  await withoutTimers(() => server.close());
  await withoutTimers(() => receiver.close());
  await expect(fetch(url, { method: "POST" })).rejects.toThrow();
});

it(
  caseTitle(80, "the entry of an unfinished handler is released, and the attempt not counted"),
  async () => {
    const path = inboxFile();
    const first = await openServer({ inbox: path, drainTimeout: 50 });
    const aborted = vi.fn();
    first.receiver.on("*", (_, { signal }) => {
      signal.addEventListener("abort", aborted);
      return new Promise(() => {});
    });
    await first.post(envelope());
    await first.untilState("running");
    await first.receiver.close(); // the handler never ends
    expect(aborted).toHaveBeenCalledOnce();
    const late = await first.post(freshEnvelope());
    expect(late.status).toBe(503);
    expect(json(late)).toMatchObject({ error: { type: "unavailable" } });
    const second = await openServer({ inbox: path });
    const run = vi.fn();
    second.receiver.on("*", (_, { attempt }) => run(attempt));
    await second.untilState("handled");
    expect(run).toHaveBeenCalledExactlyOnceWith(1);
  },
);

it(caseTitle(80, "with a connection that has sent nothing, or half a head"), async () => {
  for (const said of ["", "POST /web"]) {
    const { server, url } = await openServer();
    const socket = await dial(url);
    socket.write(said);
    await new Promise((resolve) => setTimeout(resolve, 30));
    const closed = server.close().then(() => "closed");
    const late = new Promise((resolve) => setTimeout(resolve, 3000, "still open"));
    expect([said, await Promise.race([closed, late])]).toEqual([said, "closed"]);
  }
});
