import { expect, it, vi } from "vitest";
import { sqliteInbox } from "../../src/inbox/sqlite.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import type { Accepted } from "../../src/receiver/outcome.ts";
import { expectError, json } from "../receiver/open.ts";
import {
  at,
  bytes,
  DAY,
  envelope,
  freshEnvelope,
  gate,
  inboxFile,
  keptBytes,
  MINUTE,
  NOW,
  signedHeaders,
  until,
} from "../receiver/sample.ts";
import { caseTitle } from "./catalogue.ts";
import { openServer } from "./open.ts";
import { runsOf, startChild } from "./process.ts";

const HOUR = 60 * MINUTE;

it(caseTitle(56, "one process"), async () => {
  const { receiver, post, entry, untilState, outcomes } = await openServer();
  let runs = 0;
  receiver.on("*", () => void runs++);
  const replies = await Promise.all(Array.from({ length: 100 }, () => post(envelope())));
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  expect(new Set(replies.map((reply) => (json(reply) as { id: string }).id)).size).toBe(1);
  expect(outcomes().filter((outcome) => !(outcome as Accepted).duplicate)).toHaveLength(1);
  await untilState("handled");
  expect(await entry()).toMatchObject({ duplicates: 99, attempts: 1 });
  expect(runs).toBe(1);
});

it(caseTitle(56, "three processes"), async () => {
  const inbox = inboxFile();
  const first = await startChild(inbox);
  const children = [first, ...(await Promise.all([startChild(inbox), startChild(inbox)]))];
  // The processes use the real clock.
  const event = envelope({ timestamp: new Date().toISOString() });
  const replies = await Promise.all(
    Array.from({ length: 99 }, (_, n) => children[n % children.length]?.post(event)),
  );
  expect(replies.map((reply) => reply?.status)).toEqual(replies.map(() => 200));
  const told = replies.map(
    (reply) => JSON.parse(reply?.text ?? "") as { id: string; duplicate: boolean },
  );
  expect(told.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
  await until(() => expect(runsOf(inbox)).toHaveLength(1));
  for (const child of children) await child.end("SIGTERM");
  expect(runsOf(inbox)).toMatchObject([{ id: told[0]?.id, attempt: 1 }]);
  const reader = sqliteInbox(inbox);
  await reader.open();
  expect(await reader.list({})).toMatchObject([{ state: "handled", duplicates: 98, attempts: 1 }]);
  await reader.close();
}, 60_000);

it(caseTitle(57, "running"), async () => {
  const { receiver, post, entry, untilState, clock } = await openServer();
  const held = gate();
  const run = vi.fn(() => held.opened);
  receiver.on("*", run);
  await post(envelope());
  await untilState("running");
  const before = await entry();
  clock.now += 5;
  expect(json(await post(envelope()))).toMatchObject({ duplicate: true });
  expect(await entry()).toEqual({ ...before, duplicates: 1, lastSeenAt: NOW + 5 });
  held.open();
  await untilState("handled");
  expect(run).toHaveBeenCalledOnce();
  expect(await entry()).toMatchObject({ duplicates: 1, attempts: 1 });
});

it(caseTitle(57, "waiting for a retry"), async () => {
  const retry = { delay: 2 * HOUR, maxDelay: 2 * HOUR, jitter: 0 };
  const { receiver, post, entry, clock } = await openServer({ retry });
  const run = vi.fn(() => Promise.reject(new Error("not yet")));
  receiver.on("*", run);
  await post(envelope());
  await until(async () => expect(await entry()).toMatchObject({ state: "failing", attempts: 1 }));
  const before = await entry();
  clock.now += HOUR;
  expect(json(await post(envelope()))).toMatchObject({ duplicate: true });
  // A duplicate neither runs it at once nor changes when it runs.
  expect(await entry()).toEqual({ ...before, duplicates: 1, lastSeenAt: NOW + HOUR });
  expect(run).toHaveBeenCalledOnce();
  clock.now += HOUR;
  await until(() => expect(run).toHaveBeenCalledTimes(2));
});

it(caseTitle(57, "dead"), async () => {
  const { receiver, post, entry, untilState, clock } = await openServer({ retry: { attempts: 1 } });
  const run = vi.fn(() => Promise.reject(new Error("never")));
  const dead = vi.fn();
  receiver.on("*", run);
  receiver.onDead(dead);
  await post(envelope());
  await untilState("dead");
  const before = await entry();
  clock.now += DAY;
  for (const duplicates of [1, 2]) {
    expect(json(await post(envelope()))).toMatchObject({ received: true, duplicate: true });
    expect(await entry()).toEqual({ ...before, duplicates, lastSeenAt: NOW + DAY });
  }
  await new Promise((resolve) => setTimeout(resolve, 30)); // several polls of the inbox
  expect(run).toHaveBeenCalledOnce();
  expect(dead).toHaveBeenCalledOnce();
});

it(caseTitle(58, "while the entry exists"), async () => {
  const { receiver, post, entry, untilState, clock } = await openServer();
  const run = vi.fn();
  receiver.on("*", run);
  await post(envelope());
  await untilState("handled");
  for (const later of [HOUR, 8 * DAY, 30 * DAY, 400 * DAY]) {
    clock.now = NOW + later;
    expect(json(await post(envelope()))).toMatchObject({ received: true, duplicate: true });
    expect(await entry()).toMatchObject({ lastSeenAt: NOW + later });
  }
  expect(run).toHaveBeenCalledOnce();
});

it(caseTitle(58, "after the entry was pruned"), async () => {
  const { receiver, post, onlyDeadLetter, clock } = await openServer();
  const run = vi.fn();
  receiver.on("*", run);
  clock.now += 30 * DAY; // the entry and its key would be deleted
  const body = bytes(envelope());
  expectError(await post(body), 400, "invalid_request", "timestamp");
  await onlyDeadLetter("too_old", body);
  expectError(await post(body), 400, "invalid_request", "timestamp");
  await onlyDeadLetter("too_old", body);
  expect(run).not.toHaveBeenCalled();
});

it(caseTitle(58, "options that leave a gap between the two are refused"), async () => {
  const gap = { maxAge: 7 * DAY, maxSkew: 5 * MINUTE, retention: 7 * DAY };
  await expect(openServer(gap)).rejects.toMatchObject({ code: "retention_too_short" });
});

it(caseTitle(59), async () => {
  const { receiver, ask, entry, untilState } = await openServer();
  const run = vi.fn();
  receiver.on("*", run);
  const body = bytes(envelope());
  for (let n = 0; n < 20; n++) {
    const ids = ["webhook-id", "x-delivery-id", "x-request-id", "x-event-id"];
    const names = [...ids, "idempotency-key", "x-attempt"];
    const fresh = Object.fromEntries(names.map((name) => [name, `${name}-${n}`]));
    const reply = await ask({
      body,
      headers: { ...signedHeaders(body), ...fresh, date: new Date(n).toUTCString() },
    });
    expect(json(reply)).toMatchObject({ duplicate: n > 0 });
  }
  await untilState("handled");
  expect(run).toHaveBeenCalledOnce();
  expect(await entry()).toMatchObject({ duplicates: 19 });
});

it(caseTitle(60), async () => {
  const inbox = inboxFile();
  const a = await openServer({ inbox, source: "a" });
  const b = await openServer({ inbox, source: "b" });
  const same = envelope({ id: "evt_1" });
  for (const { post } of [a, b]) {
    expect(json(await post(same))).toEqual({ received: true, id: "evt_1", duplicate: false });
    expect(json(await post(same))).toEqual({ received: true, id: "evt_1", duplicate: true });
  }
  const keys = (await a.entries()).map(({ key, duplicates }) => [
    key.source,
    key.eventId,
    duplicates,
  ]);
  expect(keys).toEqual([
    ["a", "evt_1", 1],
    ["b", "evt_1", 1],
  ]);
});

it(caseTitle(61), async () => {
  const { receiver, post, entries } = await openServer();
  const prices: unknown[] = [];
  receiver.on("property.updated", ({ data }) => void prices.push(data.price));
  const update = (price: number) =>
    envelope({ event: "property.updated", data: { id: "prop_1", price } });
  for (const price of [100, 200])
    expect(json(await post(update(price)))).toMatchObject({ duplicate: false });
  for (const price of [200, 100])
    expect(json(await post(update(price)))).toMatchObject({ duplicate: true });
  await until(() => expect(prices.toSorted()).toEqual([100, 200]));
  expect(await entries()).toMatchObject([{ duplicates: 1 }, { duplicates: 1 }]);
});

it(caseTitle(62, "without the option `identity`"), async () => {
  const { receiver, post, entries } = await openServer();
  const run = vi.fn();
  receiver.on("*", run);
  for (const offset of [0, 1, 60_000]) {
    expect(json(await post(envelope({ timestamp: at(offset) })))).toMatchObject({
      duplicate: false,
    });
  }
  await until(() => expect(run).toHaveBeenCalledTimes(3));
  expect(new Set((await entries()).map(({ key }) => key.eventId)).size).toBe(3);
});

it(caseTitle(62, "with the option `identity`"), async () => {
  const identity = ({ kind, data }: { kind: string; data: Record<string, unknown> }) =>
    `${kind} ${data.id}`;
  const { receiver, post, entry, untilState } = await openServer({ identity });
  const run = vi.fn();
  receiver.on("*", run);
  for (const offset of [0, 1, 60_000]) {
    expect(json(await post(envelope({ timestamp: at(offset) })))).toMatchObject({
      duplicate: offset > 0,
    });
  }
  await untilState("handled");
  expect(run).toHaveBeenCalledOnce();
  expect(await entry()).toMatchObject({ duplicates: 2 });
});

it(caseTitle(63), async () => {
  const { receiver, post, entries } = await openServer();
  const run = vi.fn();
  receiver.on("*", run);
  const ages = [10 * MINUTE, 35 * MINUTE, 20 * HOUR, 70 * HOUR, 75 * HOUR, 7 * DAY];
  for (const age of ages) {
    const event = freshEnvelope({ timestamp: at(-age) });
    // The sender got no answer to the first; this is its retry.
    expect(json(await post(event))).toMatchObject({ received: true, duplicate: false });
  }
  await until(() => expect(run).toHaveBeenCalledTimes(ages.length));
  expect((await post(freshEnvelope({ timestamp: at(-7 * DAY - 1) }))).status).toBe(400);
  expect((await entries()).at(-1)).toMatchObject({ state: "dead", reason: "too_old" });
});

it(caseTitle(64), async () => {
  const { receiver, post, entries, reasons, clock } = await openServer();
  const run = vi.fn();
  receiver.on("*", run);
  for (const ahead of [2 * MINUTE, 5 * MINUTE]) {
    expect((await post(freshEnvelope({ timestamp: at(ahead) }))).status).toBe(200);
  }
  for (const ahead of [5 * MINUTE + 1, 2 * HOUR]) {
    const body = bytes(freshEnvelope({ timestamp: at(ahead) }));
    expectError(await post(body), 400, "invalid_request", "timestamp");
    const last = (await entries()).at(-1);
    expect(last).toMatchObject({ state: "dead", reason: "future_timestamp" });
    expect(await keptBytes(inboxOf(receiver), last?.seq)).toEqual(body);
  }
  expect(reasons()).toEqual(["accepted", "accepted", "future_timestamp", "future_timestamp"]);
  // Once its time has come, the dead letter does not block it.
  const early = freshEnvelope({ timestamp: at(2 * HOUR) });
  expect((await post(early)).status).toBe(400);
  clock.now += 2 * HOUR;
  expect(json(await post(early))).toMatchObject({ received: true, duplicate: false });
  await until(() => expect(run).toHaveBeenCalledTimes(3));
});

it(
  caseTitle(65, "set back while an entry waits, and by a day, after which it runs at once"),
  async () => {
    for (const isFar of [false, true]) {
      const { receiver, post, entry, entries, untilState, clock, stillServes } = await openServer({
        retry: { delay: 1000, maxDelay: 1000, jitter: 0 },
      });
      let fails = true;
      receiver.on("payment.received", () => {
        if (fails) throw new Error("not yet");
      });
      await post(envelope());
      await until(async () =>
        expect(await entry()).toMatchObject({ state: "failing", attempts: 1 }),
      );
      const { runAt } = await entry();
      expect(runAt).toBe(NOW + 1000);
      if (isFar) fails = false;
      clock.now = NOW - (isFar ? DAY : 4 * MINUTE);
      if (!isFar) {
        expect(json(await post(envelope()))).toMatchObject({ duplicate: true });
        expect(await entry()).toMatchObject({ lastSeenAt: NOW, runAt });
        fails = false;
        clock.now = NOW + 1000;
      }
      await untilState("handled");
      expect(await entry()).toMatchObject({ attempts: 2 });
      clock.now = NOW;
      await stillServes();
      expect(await entries()).toHaveLength(2);
    }
  },
);

it(caseTitle(66), async () => {
  const { receiver, post, entries } = await openServer({ concurrency: 1 });
  const ran: string[] = [];
  const held = gate();
  receiver.on("*", async ({ kind, timestamp }) => {
    await held.opened; // all arrive before any runs
    ran.push(`${kind} ${timestamp}`);
  });
  const sent = ["lease.expired", "tenant.updated", "tenant.created"].map((event, index) =>
    envelope({ event, timestamp: at(-index * MINUTE), data: { id: "tenant_1" } }),
  );
  for (const event of sent) expect((await post(event)).status).toBe(200);
  held.open();
  await until(() => expect(ran).toHaveLength(3));
  expect(ran).toEqual(sent.map(({ event, timestamp }) => `${event} ${timestamp}`));
  // Each has its timestamp, so that a handler can drop an event older than its current state.
  const kept = await entries();
  expect(kept.map(({ eventTimestamp }) => eventTimestamp)).toEqual([
    NOW,
    NOW - MINUTE,
    NOW - 2 * MINUTE,
  ]);
  expect(kept.map(({ seq }) => seq)).toEqual([1, 2, 3]);
});
