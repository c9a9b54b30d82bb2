import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { ReceiverOptions } from "../../src/entries/index.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import { sqliteInbox } from "../../src/inbox/sqlite.ts";
import { threadedInbox } from "../inbox/threaded.ts";
import {
  accept,
  at,
  DAY,
  deliveryOf,
  envelope,
  inboxFile,
  type KeepTerms,
  keptLog,
  NOW,
  partsOf,
  SECRET,
} from "./sample.ts";

/** The entry is kept in memory, in a file by this thread, or in a file by the writer thread. */
const WAYS: readonly [string, () => Inbox][] = [
  ["in memory", memoryInbox],
  ["in a file", () => sqliteInbox(inboxFile())],
  ["in a file by another thread", () => threadedInbox(inboxFile())],
];

const CLAIM = { now: NOW, limit: 1, leaseTime: 1000 };
const HANDLED = {
  state: "handled",
  reason: null,
  runAt: NOW,
  finishedHandlers: [],
  records: [],
} as const;
const event = envelope({ id: "evt_known" });
const PROPERTY = { event: "property.created" };

/** Sent in this order, since the result of each may depend on those before. */
const SENT: readonly (object | string)[] = [
  event,
  event,
  envelope(),
  { ...envelope(), data: { restamped: true } },
  { ...envelope({ timestamp: at(-1000) }), data: { restamped: true } },
  envelope({ event: "unknown.kind" }),
  envelope({ event: "x".repeat(300) }),
  envelope({ ...PROPERTY, data: {} }),
  envelope({ ...PROPERTY, data: {} }),
  envelope({ timestamp: at(-300 * DAY) }),
  envelope({ timestamp: at(DAY) }),
  envelope({ id: "evt_\ud800" }),
  "",
  "no JSON",
  "[]",
  '{"a":1,"a":1}',
  '{"__proto__":{}}',
  `{"a":${"[".repeat(80)}${"]".repeat(80)}}`,
  { ...envelope(), webhook: { id: "no", url: "" } },
  { ...envelope(), timestamp: "yesterday" },
  "no JSON",
];

async function open(inbox: Inbox, options: Partial<ReceiverOptions> = {}) {
  const { log, lines } = keptLog();
  const parts = partsOf({
    secret: SECRET,
    log,
    clock: () => NOW,
    ...options,
    inbox: handleOf(inbox),
  });
  await inbox.open();
  onTestFinished(() => inbox.close());
  return { parts, lines };
}

async function becomeOf(
  inbox: Inbox,
  sent: readonly (object | string)[],
  options?: Partial<ReceiverOptions>,
) {
  const { parts, lines } = await open(inbox, options);
  const outcomes = [];
  for (const one of sent) outcomes.push(await accept(deliveryOf(one), parts));
  return { outcomes, entries: await inbox.list({}), lines };
}

describe("a delivery has the same outcome", () => {
  it.each(WAYS.slice(1))("%s, whatever it contains", async (_, inbox) => {
    const found = await becomeOf(inbox(), SENT);
    expect(found).toEqual(await becomeOf(memoryInbox(), SENT));
    expect(new Set(found.outcomes.map(({ type }) => type))).toEqual(
      new Set(["accepted", "rejected"]),
    );
  });

  it.each(WAYS.slice(1))("%s, for any timestamp", async (_, inbox) => {
    const dated = fc.array(fc.integer({ min: -40 * DAY, max: DAY }), {
      minLength: 1,
      maxLength: 8,
    });
    const sent = fc.sample(dated, { numRuns: 20, seed: 1 }).flat();
    const envelopes = sent.map((ms) => envelope({ timestamp: at(ms) }));
    const options = { maxAge: 20 * DAY, maxSkew: DAY / 2 };
    expect(await becomeOf(inbox(), envelopes, options)).toEqual(
      await becomeOf(memoryInbox(), envelopes, options),
    );
  });

  it.each(WAYS)(
    "%s: an event that may have been pruned is a dead letter, whatever the clock says",
    async (_, make) => {
      const inbox = make();
      const { parts } = await open(inbox);
      await accept(deliveryOf(envelope({ event: "first.kind" })), parts);
      const [{ seq, lease } = { seq: 0, lease: "" }] = await inbox.claim(CLAIM);
      await inbox.settle({ seq, lease, ...HANDLED }, NOW);
      await accept(deliveryOf(envelope({ event: "second.kind", timestamp: at(1000) })), parts);
      const until = { receivedUntil: NOW, datedUntil: NOW };
      await inbox.prune({ states: ["handled"], ...until }, { limit: 10 });
      expect(await accept(deliveryOf(envelope({ event: "first.kind" })), parts)).toMatchObject({
        rejection: { reason: "too_old" },
      });
    },
  );

  it.each(WAYS)("%s: an entry that may run at once is inserted already leased", async (_, make) => {
    const inbox = make();
    const { parts } = await open(inbox);
    const ran: unknown[] = [];
    let number = 0;
    const acceptReserved = (body: object | string, more: KeepTerms = {}) => {
      const lease = { token: `lease-${++number}`, until: NOW + 1000 };
      const reservation = { lease, run: (entry: object) => void ran.push(entry) };
      return accept(deliveryOf(body), parts, { ...more, reservation });
    };
    await acceptReserved(event);
    const key = { source: "service", eventId: "evt_known", timestamp: NOW };
    const kept = { seq: 1, key, kind: "payment.received", orderKey: null };
    expect(ran).toEqual([{ ...kept, delivery: deliveryOf(event) }]);
    await acceptReserved(event); // a duplicate
    await acceptReserved(envelope({ ...PROPERTY, data: {} })); // does not fit
    await acceptReserved("no JSON");
    await acceptReserved(envelope({ id: "evt_held" }), { holdMs: 5000 });
    expect(ran).toHaveLength(1);
    expect(await inbox.list({})).toMatchObject([
      { state: "running", attempts: 1 },
      { state: "dead", attempts: 0 },
      { state: "dead", attempts: 0 },
      { state: "waiting", attempts: 0, runAt: NOW + 5000 },
    ]);
    expect(await inbox.settle({ seq: 1, lease: "lease-1", ...HANDLED }, NOW)).toBe(true);
  });

  it.each(WAYS)(
    "%s: an entry with an order key is leased on insert if none before it waits",
    async (_, make) => {
      const inbox = make();
      const { parts } = await open(inbox, { orderBy: ({ data }) => String(data.id) });
      const run = vi.fn();
      const send = (id: string, amount: number) => {
        const reservation = { lease: { token: `${id}-${amount}`, until: NOW + 1000 }, run };
        return accept(deliveryOf(envelope({ data: { id, amount } })), parts, { reservation });
      };
      await Promise.all([send("a", 1), send("a", 2), send("b", 1)]);
      expect(await inbox.list({})).toMatchObject([
        { orderKey: "a", state: "running", attempts: 1 },
        { orderKey: "a", state: "waiting", attempts: 0 },
        { orderKey: "b", state: "running", attempts: 1 },
      ]);
      expect(run.mock.calls.map(([{ seq }]) => seq)).toEqual([1, 3]);
      await inbox.settle({ seq: 1, lease: "a-1", ...HANDLED }, NOW);
      await send("a", 3);
      expect(await inbox.list({ seq: 4 })).toMatchObject([{ orderKey: "a", state: "waiting" }]);
    },
  );

  it("an entry with an order key is not leased on insert if a dead letter may hold it back", async () => {
    const inbox = memoryInbox();
    const { parts } = await open(inbox, { orderBy: () => "own", deadLetterOrder: "block" });
    const run = vi.fn();
    const reservation = { lease: { token: "lease", until: NOW + 1000 }, run };
    await accept(deliveryOf(envelope()), parts, { reservation });
    expect(run).not.toHaveBeenCalled();
    expect(await inbox.list({})).toMatchObject([{ state: "waiting", attempts: 0 }]);
  });
});
