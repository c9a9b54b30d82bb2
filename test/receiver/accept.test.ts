import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { z } from "zod";
import {
  type ReceiverOptions,
  SIGNATURE_HEADER,
  sign,
  type WebhookEvent,
} from "../../src/entries/index.ts";
import { OWN_IDENTITY, REJECTED } from "../../src/event/identity.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { openReceiver } from "./open.ts";
import {
  at,
  bytes,
  deliveryOf,
  envelope,
  NOW,
  SECRET,
  signedHeaders,
  until,
  wrapInbox,
} from "./sample.ts";

/** A receiver that keeps what it accepts, and runs nothing. */
async function open(options: Partial<ReceiverOptions> = {}) {
  const opened = await openReceiver({ role: "receive", ...options });
  const { receiver } = opened;
  return { ...opened, accept: receiver.accept.bind(receiver), inbox: inboxOf(receiver) };
}

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
    const { accept, inbox } = await open();
    const old = deliveryOf(envelope({ timestamp: at(-300 * 86_400_000) }));
    expect(await accept(old)).toMatchObject({
      type: "rejected",
      rejection: { reason: "too_old" },
    });
    expect(await inbox.list({})).toMatchObject([
      {
        key: { timestamp: REJECTED, eventId: expect.stringMatching(/^raw_1_/) },
        kind: "payment.received",
      },
    ]);
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

  it("says that data did not fit, to a duplicate as well", async () => {
    const { accept } = await open();
    const misfit = deliveryOf(envelope({ event: "property.created", data: {} }));
    for (const duplicate of [false, true]) {
      const outcome = await accept(misfit);
      expect(outcome).toMatchObject({ duplicate, entryState: "dead", reason: "invalid_data" });
    }
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

  it.each<[string, Record<string, string | string[] | undefined>]>([
    ["an array of one", { [SIGNATURE_HEADER]: [sign(bytes(envelope()), SECRET)] }],
    [
      "two spellings",
      {
        [SIGNATURE_HEADER]: sign(bytes(envelope()), SECRET),
        "X-Service-Signature": sign(bytes(envelope()), SECRET),
      },
    ],
    [
      "one that is inherited",
      Object.create({ [SIGNATURE_HEADER]: sign(bytes(envelope()), SECRET) }),
    ],
  ])("[case 7] takes no signature from %s", async (_, headers) => {
    expect(await (await open()).accept(deliveryOf(envelope(), headers))).toMatchObject({
      type: "unauthorized",
    });
  });

  it("[case 19] asks for the secrets once", async () => {
    const secret = vi.fn(() => SECRET);
    await (await open({ secret })).accept(deliveryOf(envelope()));
    expect(secret).toHaveBeenCalledOnce();
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

    it("is given the event as it was sent", async () => {
      const identity = vi.fn(() => "x");
      const sent = envelope({ id: "evt_own", more: 1 });
      const { accept } = await open({ identity });
      await accept(deliveryOf(sent));
      expect(identity).toHaveBeenCalledExactlyOnceWith({
        id: "evt_own",
        kind: sent.event,
        timestamp: sent.timestamp,
        data: sent.data,
        webhook: sent.webhook,
        source: "service",
        envelope: sent,
      });
    });

    it.each<[string, () => unknown]>([
      ["undefined", () => undefined],
      ["null", () => null],
      ["a number", () => 1],
      ["an empty text", () => ""],
      ["a promise", () => Promise.resolve("evt_1")],
      [
        "nothing, as it throws",
        () => {
          throw new RangeError("no");
        },
      ],
      [
        "nothing, as it throws a text",
        () => {
          throw "no";
        },
      ],
    ])(
      "is misconfigured where it gives %s, which the error says, and keeps nothing",
      async (_, identity) => {
        const { accept, inbox } = await open({ identity: identity as () => string });
        const error = { code: "option_invalid", message: expect.stringContaining("identity") };
        expect(await accept(deliveryOf(envelope()))).toMatchObject({
          type: "misconfigured",
          error,
        });
        expect(await inbox.list({})).toEqual([]);
      },
    );

    it("is misconfigured with what it throws as the cause", async () => {
      const cause = new RangeError("no");
      const identity = () => {
        throw cause;
      };
      const { accept } = await open({ identity });
      expect(await accept(deliveryOf(envelope()))).toMatchObject({ error: { cause } });
    });

    it("is not asked for what is no event", async () => {
      const identity = vi.fn(() => "x");
      expect(await (await open({ identity })).accept(deliveryOf("no JSON"))).toMatchObject({
        type: "rejected",
      });
      expect(identity).not.toHaveBeenCalled();
    });
  });

  it("is misconfigured where a schema throws instead of naming issues", async () => {
    const broken = {
      "~standard": {
        version: 1,
        vendor: "test",
        validate: () => {
          throw new Error("schema");
        },
      },
    } as unknown as z.ZodType;
    const { accept, inbox } = await open({ schemas: { "payment.received": broken } });
    expect(await accept(deliveryOf(envelope()))).toMatchObject({ type: "misconfigured" });
    expect(await inbox.list({})).toEqual([]);
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

  describe("for any bytes and headers", () => {
    const anyBytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.json().map((text) => Buffer.from(text)),
      fc
        .record({
          event: fc.string(),
          timestamp: fc.string(),
          data: fc.object(),
          webhook: fc.anything(),
        })
        .map((value) =>
          Buffer.from(JSON.stringify(value, (_, inner) => (typeof inner === "bigint" ? 1 : inner))),
        ),
    );
    const anyHeaders = fc.dictionary(
      fc.oneof(fc.string(), fc.constantFrom(SIGNATURE_HEADER, "__proto__", "X-Service-Signature")),
      fc.oneof(
        fc.string(),
        fc.array(fc.string()),
        fc.constant(undefined),
        fc
          .string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: 64, maxLength: 64 })
          .map((hex) => `sha256=${hex}`),
      ),
    );

    it("[case 13] is unauthorized and keeps nothing without the right signature", async () => {
      const { accept, inbox } = await open();
      await fc.assert(
        fc.asyncProperty(anyBytes, anyHeaders, async (body, headers) => {
          const outcome = await accept({ ...deliveryOf(""), body, headers });
          expect(outcome.type).toBe("unauthorized");
        }),
        { numRuns: 500 },
      );
      expect(await inbox.list({})).toEqual([]);
    });

    it("never throws, and always keeps, what is signed", async () => {
      const { accept, inbox } = await open();
      let kept = 0;
      await fc.assert(
        fc.asyncProperty(anyBytes, anyHeaders, async (body, headers) => {
          const others = Object.entries(headers).filter(
            ([name]) => name.toLowerCase() !== SIGNATURE_HEADER,
          );
          const signed = { ...Object.fromEntries(others), ...signedHeaders(body) };
          const outcome = await accept({ ...deliveryOf(""), body, headers: signed });
          if (outcome.type !== "rejected" && outcome.type !== "accepted") return false;
          if (!outcome.duplicate) kept++;
          const stored = await inbox.delivery(outcome.seq);
          return outcome.duplicate || Buffer.from(stored?.body ?? []).equals(body);
        }),
        { numRuns: 500 },
      );
      expect(await inbox.list({})).toHaveLength(kept);
    });

    it("[case 11] is unauthorized once any bit of a signed body is changed", async () => {
      const { accept, inbox } = await open();
      const good = bytes(envelope());
      await fc.assert(
        fc.asyncProperty(fc.nat({ max: good.length * 8 - 1 }), async (bit) => {
          const body = Buffer.from(good);
          body[bit >> 3] = (body[bit >> 3] ?? 0) ^ (1 << (bit & 7));
          const outcome = await accept({ ...deliveryOf(good), body });
          return outcome.type === "unauthorized";
        }),
        { numRuns: 200 },
      );
      expect(await inbox.list({})).toEqual([]);
    });
  });
});

it("gives up a schema that never decides, and says which", async () => {
  const never = {
    "~standard": { version: 1, vendor: "test", validate: () => new Promise(() => {}) },
  } as never;
  const { accept, inbox } = await open({ schemas: { "payment.received": never }, bodyTimeout: 20 });
  const outcome = await accept(deliveryOf(envelope()));
  expect(outcome).toMatchObject({ type: "misconfigured", error: { code: "option_invalid" } });
  expect(await inbox.list({})).toEqual([]);
});

it("a dead letter that the inbox does not keep is not acknowledged", async () => {
  const inbox = wrapInbox(memoryInbox(), { append: async () => undefined });
  const { accept } = await open({ inbox: handleOf(inbox) });
  expect(await accept(deliveryOf("{"))).toMatchObject({
    type: "unavailable",
    error: expect.any(TypeError),
  });
});

describe("an event that differs from an earlier one only in its timestamp", () => {
  const earlier = envelope({ timestamp: at(-60_000) });

  it("is a restamp of it, and a duplicate is none", async () => {
    const { accept } = await open();
    const first = await accept(deliveryOf(earlier));
    const eventId = first.type === "accepted" ? first.eventId : "";
    expect(await accept(deliveryOf(envelope()))).toMatchObject({ restampOf: eventId });
    expect(await accept(deliveryOf(earlier))).toMatchObject({
      duplicate: true,
      restampOf: undefined,
    });
  });

  it("is no restamp if the user's identity has told them apart", async () => {
    const { accept } = await open({ identity: ({ timestamp }) => timestamp });
    await accept(deliveryOf(earlier));
    expect(await accept(deliveryOf(envelope()))).toMatchObject({
      duplicate: false,
      restampOf: undefined,
    });
  });
});

it("a delivery is misconfigured if the secrets cannot be read for it, and nothing is kept", async () => {
  const secret = vi.fn(() => SECRET).mockImplementationOnce(() => "");
  const { accept, inbox } = await open({ secret });
  expect(await accept(deliveryOf(envelope()))).toMatchObject({
    type: "misconfigured",
    error: { code: "secret_empty" },
  });
  expect(await inbox.list({})).toEqual([]);
  expect(await accept(deliveryOf(envelope()))).toMatchObject({ type: "accepted" });
});
