import { describe, expect, it, vi } from "vitest";
import { type ReceiverOptions, sign, type WebhookEvent } from "../../src/entries/index.ts";
import { OWN_IDENTITY, REJECTED } from "../../src/event/identity.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { makeReceiver, openReceiver } from "./open.ts";
import {
  at,
  bytes,
  DAY,
  deliveryOf,
  envelope,
  gate,
  NOW,
  SECRET,
  until,
  wrapInbox,
} from "./sample.ts";

/** A receiver that keeps what it accepts, and runs nothing. */
async function open(options: Partial<ReceiverOptions> = {}) {
  const opened = await openReceiver({ role: "receive", ...options });
  const { receiver } = opened;
  return { ...opened, accept: receiver.accept.bind(receiver), inbox: inboxOf(receiver) };
}

it("a dead letter has at most 20 problems, the numbers that were changed first", async () => {
  const schema = {
    "~standard": {
      version: 1 as const,
      vendor: "test",
      validate: () => ({ issues: Array.from({ length: 20 }, () => ({ message: "wrong" })) }),
    },
  };
  const { accept, inbox } = await open({ schemas: { "payment.received": schema } as never });
  const body = JSON.stringify(envelope({ data: { rent: 1 } })).replace('"rent":1', '"rent":1e400');
  expect(await accept(deliveryOf(body))).toMatchObject({ reason: "invalid_data" });
  const [entry] = await inbox.list({});
  expect(entry?.problems).toHaveLength(20);
  expect(entry?.problems[0]).toMatchObject({ field: "data.rent" });
});

it("a start that fails may be tried again, but not once it was closed meanwhile", async () => {
  const store = memoryInbox();
  const { opened: closed, open: close } = gate();
  const open = vi.fn<typeof store.open>().mockRejectedValueOnce(new Error("locked"));
  open.mockImplementationOnce(async () => {
    await closed;
    throw new Error("locked again");
  });
  const { receiver } = makeReceiver({ inbox: handleOf(wrapInbox(store, { open })) });
  await expect(receiver.start()).rejects.toThrow("locked");
  const second = receiver.start();
  const closing = receiver.close();
  close();
  await expect(second).rejects.toThrow("locked again");
  await closing;
  await expect(receiver.start()).rejects.toThrow(/expected start\(\) to be called once/);
});

describe("accept", () => {
  it("keeps an event with its delivery, under (source, event id, timestamp)", async () => {
    const { accept, inbox } = await open({ source: "agency" });
    const delivery = deliveryOf(
      envelope({ id: "evt_own", timestamp: at(-5000) }),
      undefined,
      NOW - 3,
    );
    expect(await accept(delivery)).toEqual({
      type: "accepted",
      eventId: "evt_own",
      kind: "payment.received",
      seq: 1,
      duplicate: false,
      entryState: "waiting",
      secret: { role: "current", fingerprint: expect.stringMatching(/^[0-9a-f]{8}$/) },
    });
    expect(await inbox.list({})).toMatchObject([
      {
        key: { source: "agency", eventId: "evt_own", timestamp: NOW - 5000 },
        eventTimestamp: NOW - 5000,
        receivedAt: NOW - 3,
        runAt: NOW - 3,
      },
    ]);
    expect(await inbox.delivery(1)).toEqual({
      ...delivery,
      body: Uint8Array.from(delivery.body),
    });
  });

  it("keeps a rejected delivery under its bytes' own key, away from the event it may be", async () => {
    const { accept, inbox, receiver } = await open();
    const old = deliveryOf(envelope({ timestamp: at(-300 * DAY) }));
    expect(await accept(old)).toMatchObject({ rejection: { reason: "too_old" } });
    const eventId = expect.stringMatching(/^raw_1_/);
    expect(await inbox.list({})).toMatchObject([
      { key: { timestamp: REJECTED, eventId }, kind: "payment.received" },
    ]);
    for (const seq of [1, 2]) expect(await receiver.recheck(seq)).toEqual([]);
  });

  it("is ready again once it keeps anything, even if that is no event", async () => {
    const real = memoryInbox();
    const append = vi.fn(real.append.bind(real));
    const { receiver, accept } = await open({ inbox: handleOf(wrapInbox(real, { append })) });
    for (const body of [envelope(), "no JSON"]) {
      append.mockRejectedValueOnce(new Error("no"));
      expect(await accept(deliveryOf(body))).toMatchObject({ type: "unavailable" });
      expect(receiver.refusing).toBe("inbox_unavailable");
      await accept(deliveryOf(body));
      expect(receiver.refusing).toBeUndefined();
    }
  });

  it("warns of a wrong clock by how far an event is ahead of it, and of no other fault", async () => {
    const { accept, lines } = await open();
    for (const timestamp of [at(-300 * 86_400_000), "yesterday", at(300_000)]) {
      await accept(deliveryOf(envelope({ timestamp })));
    }
    expect(lines).toEqual([]);
    const ahead = deliveryOf(envelope({ timestamp: at(3_600_000) }));
    expect(await accept(ahead)).toMatchObject({
      rejection: { reason: "future_timestamp" },
    });
    expect(lines).toMatchObject([{ level: "warn", fields: { ahead: 3_600_000 } }]);
  });

  it("cuts a very long kind where it is stored, not where it is reported", async () => {
    const { accept, inbox } = await open();
    const event = "x".repeat(100_000);
    expect(await accept(deliveryOf(envelope({ event })))).toMatchObject({ kind: event });
    expect((await inbox.list({}))[0]?.kind).toHaveLength(200);
  });

  it.each([
    ["X-Service-Signature", "x-service-signature"],
    ["x-own", "X-Own"],
  ])("finds the signature whatever the case: %s in %s", async (signatureHeader, sent) => {
    const delivery = deliveryOf(envelope(), { [sent]: sign(bytes(envelope()), SECRET) });
    const { accept } = await open({ signatureHeader });
    expect(await accept(delivery)).toMatchObject({
      type: "accepted",
    });
  });

  describe("with an identity of the user's", () => {
    it("[case 62] takes its result and the source for the whole key", async () => {
      const { accept, inbox } = await open({ identity: ({ kind, data }) => `${kind}/${data.id}` });
      const first = await accept(deliveryOf(envelope()));
      const restamped = await accept(deliveryOf(envelope({ timestamp: at(-1000) })));
      expect(first).toMatchObject({ eventId: "payment.received/payment_1", duplicate: false });
      expect(restamped).toMatchObject({ eventId: "payment.received/payment_1", duplicate: true });
      expect(await inbox.list({})).toMatchObject([
        { key: { source: "service", timestamp: OWN_IDENTITY }, eventTimestamp: NOW },
      ]);
    });

    it("[case 36] tells results apart that a store might cut", async () => {
      for (const end of ["\u0000", "\ud800", "x".repeat(10_000)]) {
        const { accept } = await open({ identity: ({ data }) => `own${end}${data.id}` });
        const outcomes = [];
        for (const id of ["a", "b", "a"]) {
          outcomes.push(await accept(deliveryOf(envelope({ data: { id } }))));
        }
        expect(outcomes).toMatchObject([
          { duplicate: false },
          { duplicate: false },
          { duplicate: true },
        ]);
        expect(outcomes[0]).toMatchObject({
          eventId: expect.stringMatching(/^evt_1_[0-9a-f]{40}$/),
        });
      }
    });

    it("is given the event as it was sent, and nothing that is no event", async () => {
      const identity = vi.fn(() => "x");
      const sent = envelope({ id: "evt_own", more: 1 });
      const { accept } = await open({ identity });
      expect(await accept(deliveryOf("no JSON"))).toMatchObject({ type: "rejected" });
      await accept(deliveryOf(sent));
      const { timestamp, data, webhook } = sent;
      const own = { id: "evt_own", kind: sent.event, timestamp, data, webhook, source: "service" };
      expect(identity).toHaveBeenCalledExactlyOnceWith({ ...own, envelope: sent });
    });

    it("is misconfigured where it gives no text, with what it throws as the cause, and keeps nothing", async () => {
      const throwing = (thrown: unknown) => () => {
        throw thrown;
      };
      const cause = new RangeError("no");
      const message = expect.stringContaining("identity");
      const given = [undefined, null, 1, "", Promise.resolve("evt_1")].map((value) => () => value);
      for (const identity of [...given, throwing("no"), throwing(cause)]) {
        const { accept, inbox } = await open({ identity: identity as () => string });
        const outcome = await accept(deliveryOf(envelope()));
        expect(outcome).toMatchObject({
          type: "misconfigured",
          error: { code: "option_invalid", message },
        });
        expect(await inbox.list({})).toEqual([]);
      }
      const { accept } = await open({ identity: throwing(cause) });
      expect(await accept(deliveryOf(envelope()))).toMatchObject({ error: { cause } });
    });
  });

  it.each(["identity", "orderBy"])("does not show handlers what %s changes", async (option) => {
    const change = (event: WebhookEvent) => {
      event.data.amount = 0;
      return String(event.data.id);
    };
    const { receiver } = await openReceiver({ [option]: change });
    const amounts: unknown[] = [];
    receiver.on("*", ({ data }) => void amounts.push(data.amount));
    // The second runs as soon as it is kept, without being read again.
    for (const id of ["a", "b"]) {
      await receiver.accept(deliveryOf(envelope({ data: { id, amount: 1200 } })));
      await until(async () =>
        expect(await inboxOf(receiver).counts()).toMatchObject({ running: 0, waiting: 0 }),
      );
    }
    expect(amounts).toEqual([1200, 1200]);
  });
});

it("a dead letter that the inbox does not keep is not acknowledged", async () => {
  const inbox = wrapInbox(memoryInbox(), { append: async () => undefined });
  const { accept } = await open({ inbox: handleOf(inbox) });
  expect(await accept(deliveryOf("{"))).toMatchObject({
    type: "unavailable",
    error: expect.any(TypeError),
  });
});
