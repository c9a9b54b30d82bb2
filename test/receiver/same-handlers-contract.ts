import { beforeEach, expect, it, onTestFinished } from "vitest";
import { createReceiver, type ReceiverOptions } from "../../src/entries/index.ts";
import { inboxOf as storeOf } from "../../src/receiver/inbox-view.ts";
import { deliveryOf, envelope, keptLog, SECRET, until } from "./sample.ts";
import { handled, handlers } from "./sample-handlers.ts";

const EVENTS: readonly (readonly [kind: string, data: object])[] = [
  ["payment.received", { key: "a", number: 1, fails: 1 }],
  ["payment.received", { key: "a", number: 2 }],
  ["payment.received", { key: "b", number: 3 }],
  ["payment.received", { key: "a", number: 4 }],
  ["payment.overdue", { key: "c", number: 5 }],
  ["payment.overdue", { key: "d", number: "six" }],
  ["lead.created", { key: "e", number: 7 }],
  ["contact.created", { key: "f", number: 8 }],
];

const DONE = { state: "handled", reason: null, problems: [] };
const PAID = { ...DONE, attempts: 1, finishedHandlers: ["payment.received", "payment.*"] };
const ok = (handler: string, attempt = 1, note: string | null = null) => ({
  handler,
  attempt,
  note,
  outcome: "ok",
  error: null,
});
const paid = (key: string) => [ok("payment.received", 1, `order key ${key}`), ok("payment.*")];
const failed = (handler: string, attempt: number, error: string) => ({
  handler,
  attempt,
  error,
  outcome: "error",
  note: null,
});

/** What becomes of each event, in whatever inbox. */
const ENDS = [
  { ...PAID, attempts: 2, finishedHandlers: ["payment.*", "payment.received"] },
  PAID,
  PAID,
  PAID,
  { ...DONE, attempts: 1, finishedHandlers: ["payment.*"] },
  { state: "dead", reason: "invalid_data", attempts: 0, finishedHandlers: [] },
  { state: "dead", reason: "attempts_exhausted", attempts: 2, finishedHandlers: [] },
  { state: "received", reason: "no_handler", finishedHandlers: [] },
];
const RECORDS = [
  [
    failed("payment.received", 1, "not at attempt 1"),
    ok("payment.*"),
    ok("payment.received", 2, "order key a"),
  ],
  paid("a"),
  paid("b"),
  paid("a"),
  [ok("payment.*")],
  [],
  [
    failed("lead.created", 1, "never ← since it is a lead"),
    failed("lead.created", 2, "never ← since it is a lead"),
  ],
  [],
];

/** What a module of handlers does on an inbox: the same on every one. */
export function describeSameHandlers(name: string, inboxOf: () => ReceiverOptions["inbox"]): void {
  beforeEach(() => handled.clear());

  it(`a module of handlers does on ${name} what it does on any other inbox`, async () => {
    const receiver = createReceiver({
      secret: SECRET,
      inbox: inboxOf(),
      log: keptLog().log,
      handlers,
      poll: 20,
      retry: { attempts: 2, delay: 5, factor: 1, maxDelay: 5, jitter: 0 },
      orderBy: ({ data }) => String((data as { key?: unknown }).key),
    });
    await receiver.start();
    onTestFinished(() => receiver.close());
    const timestamp = new Date().toISOString();
    const deliveries = EVENTS.map(([event, data]) =>
      deliveryOf(envelope({ event, data, timestamp }), undefined, Date.now()),
    );
    for (const delivery of deliveries) {
      expect(await receiver.accept(delivery)).toMatchObject({ type: "accepted", duplicate: false });
    }
    for (const delivery of deliveries) {
      expect(await receiver.accept(delivery)).toMatchObject({ type: "accepted", duplicate: true });
    }
    const inbox = storeOf(receiver);
    await until(async () => expect(await inbox.counts()).toMatchObject({ waiting: 0, running: 0 }));

    const entries = await inbox.list({});
    expect(entries).toMatchObject(ENDS.map((end) => ({ ...end, duplicates: 1 })));
    expect(entries.map(({ problems }) => problems.map(({ field }) => field))).toEqual(
      EVENTS.map((_, index) => (index === 5 ? ["data.number"] : [])),
    );
    const records = await Promise.all(entries.map(({ seq }) => inbox.attempts(seq)));
    expect(records).toMatchObject(RECORDS);
    expect([...handled].toSorted()).toEqual([
      ["a", [1, 2, 4]],
      ["b", [3]],
    ]);

    expect(await inbox.retry({ states: ["dead"] }, Date.now())).toEqual({ due: 0, ended: 2 });
    await until(async () =>
      expect(await inbox.counts()).toMatchObject({ waiting: 0, running: 0, handled: 5, dead: 2 }),
    );
  });
}
