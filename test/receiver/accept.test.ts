import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { z } from "zod";
import { type ReceiverOptions, SIGNATURE_HEADER, sign } from "../../src/entries/index.ts";
import { OWN_IDENTITY, REJECTED } from "../../src/event/identity.ts";
import { readOptions } from "../../src/receiver/options/settings.ts";
import {
  accept,
  at,
  bytes,
  deliveryOf,
  envelope,
  keptLog,
  NOW,
  SECRET,
  signedHeaders,
} from "./sample.ts";

function settingsOf(options: Partial<ReceiverOptions> = {}) {
  return readOptions({
    secret: SECRET,
    inbox: "memory:",
    log: keptLog().log,
    clock: () => NOW,
    ...options,
  });
}

describe("accept", () => {
  it("keeps an event with its delivery, under (source, event id, timestamp)", async () => {
    const settings = settingsOf({ source: "agency" });
    const delivery = deliveryOf(
      envelope({ id: "evt_own", timestamp: at(-5000) }),
      undefined,
      NOW - 3,
    );
    expect(await accept(delivery, settings)).toEqual({
      type: "accepted",
      eventId: "evt_own",
      kind: "payment.received",
      seq: 1,
      duplicate: false,
      entryState: "waiting",
      secret: { role: "current", fingerprint: expect.stringMatching(/^[0-9a-f]{8}$/) },
    });
    expect(await settings.inbox.list({})).toMatchObject([
      {
        key: { source: "agency", eventId: "evt_own", timestamp: NOW - 5000 },
        eventTimestamp: NOW - 5000,
        receivedAt: NOW - 3,
        runAt: NOW - 3,
      },
    ]);
    expect(await settings.inbox.delivery(1)).toEqual({
      ...delivery,
      body: Uint8Array.from(delivery.body),
    });
  });

  it("keeps a rejected delivery under its bytes' own key, away from the event it may be", async () => {
    const settings = settingsOf();
    const old = deliveryOf(envelope({ timestamp: at(-300 * 86_400_000) }));
    expect(await accept(old, settings)).toMatchObject({
      type: "rejected",
      rejection: { reason: "too_old" },
    });
    expect(await settings.inbox.list({})).toMatchObject([
      {
        key: { timestamp: REJECTED, eventId: expect.stringMatching(/^raw_1_/) },
        kind: "payment.received",
      },
    ]);
  });

  it("finds the inbox recovered once it keeps anything again, even if that is no event", async () => {
    const settings = settingsOf();
    for (const body of [envelope(), "no JSON"]) {
      settings.store.failed(new Error("no"));
      await accept(deliveryOf(body), settings);
      expect(settings.store.failure).toBeUndefined();
    }
  });

  it("warns of a wrong clock by how far an event is ahead of it, and of no other fault", async () => {
    const { log, lines } = keptLog();
    const settings = settingsOf({ log });
    for (const timestamp of [at(-300 * 86_400_000), "yesterday", at(300_000)]) {
      await accept(deliveryOf(envelope({ timestamp })), settings);
    }
    expect(lines).toEqual([]);
    const ahead = deliveryOf(envelope({ timestamp: at(3_600_000) }));
    expect(await accept(ahead, settings)).toMatchObject({
      rejection: { reason: "future_timestamp" },
    });
    expect(lines).toMatchObject([{ level: "warn", fields: { ahead: 3_600_000 } }]);
  });

  it("says that data did not fit, to a duplicate as well", async () => {
    const settings = settingsOf();
    const misfit = deliveryOf(envelope({ event: "property.created", data: {} }));
    for (const duplicate of [false, true]) {
      const outcome = await accept(misfit, settings);
      expect(outcome).toMatchObject({ duplicate, entryState: "dead", reason: "invalid_data" });
    }
  });

  it("cuts a very long kind where it is stored, not where it is reported", async () => {
    const settings = settingsOf();
    const event = "x".repeat(100_000);
    expect(await accept(deliveryOf(envelope({ event })), settings)).toMatchObject({ kind: event });
    expect((await settings.inbox.list({}))[0]?.kind).toHaveLength(200);
  });

  it.each([
    ["X-Service-Signature", "x-service-signature"],
    ["x-own", "X-Own"],
  ])("finds the signature whatever the case: %s in %s", async (signatureHeader, sent) => {
    const delivery = deliveryOf(envelope(), { [sent]: sign(bytes(envelope()), SECRET) });
    expect(await accept(delivery, settingsOf({ signatureHeader }))).toMatchObject({
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
    expect(await accept(deliveryOf(envelope(), headers), settingsOf())).toMatchObject({
      type: "unauthorized",
    });
  });

  it("[case 19] asks for the secrets once", async () => {
    const secret = vi.fn(() => SECRET);
    await accept(deliveryOf(envelope()), settingsOf({ secret }));
    expect(secret).toHaveBeenCalledOnce();
  });

  describe("with an identity of the user's", () => {
    it("[case 62] takes its result and the source for the whole key", async () => {
      const settings = settingsOf({ identity: ({ kind, data }) => `${kind}/${data.id}` });
      const first = await accept(deliveryOf(envelope()), settings);
      const restamped = await accept(deliveryOf(envelope({ timestamp: at(-1000) })), settings);
      expect(first).toMatchObject({ eventId: "payment.received/payment_1", duplicate: false });
      expect(restamped).toMatchObject({ eventId: "payment.received/payment_1", duplicate: true });
      expect(await settings.inbox.list({})).toMatchObject([
        { key: { source: "service", timestamp: OWN_IDENTITY }, eventTimestamp: NOW },
      ]);
    });

    it("[case 36] tells results apart that a store might cut", async () => {
      for (const end of ["\u0000", "\ud800", "x".repeat(10_000)]) {
        const settings = settingsOf({ identity: ({ data }) => `own${end}${data.id}` });
        const outcomes = [];
        for (const id of ["a", "b", "a"]) {
          outcomes.push(await accept(deliveryOf(envelope({ data: { id } })), settings));
        }
        expect(outcomes).toMatchObject([
          { duplicate: false },
          { duplicate: false },
          { duplicate: true },
        ]);
      }
    });

    it("is given the event as it was sent", async () => {
      const identity = vi.fn(() => "x");
      const sent = envelope({ id: "evt_own", more: 1 });
      await accept(deliveryOf(sent), settingsOf({ identity }));
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
      ["a number", () => 1],
      ["an empty text", () => ""],
      ["a promise", () => Promise.resolve("evt_1")],
      [
        "nothing, as it throws",
        () => {
          throw new Error("identity");
        },
      ],
      [
        "nothing, as it throws a text",
        () => {
          throw "identity";
        },
      ],
    ])("is misconfigured where it gives %s, and keeps nothing", async (_, identity) => {
      const settings = settingsOf({ identity: identity as () => string });
      expect(await accept(deliveryOf(envelope()), settings)).toEqual({
        type: "misconfigured",
        error: expect.any(Error),
      });
      expect(await settings.inbox.list({})).toEqual([]);
    });

    it.each([undefined, 1, "", null])("is named in the error where it returns %j", async (id) => {
      const identity = () => id as string;
      const error = { code: "option_invalid", message: expect.stringContaining("identity") };
      expect(await accept(deliveryOf(envelope()), settingsOf({ identity }))).toMatchObject({
        error,
      });
    });

    it("is not asked for what is no event", async () => {
      const identity = vi.fn(() => "x");
      expect(await accept(deliveryOf("no JSON"), settingsOf({ identity }))).toMatchObject({
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
    const settings = settingsOf({ schemas: { "payment.received": broken } });
    expect(await accept(deliveryOf(envelope()), settings)).toMatchObject({ type: "misconfigured" });
    expect(await settings.inbox.list({})).toEqual([]);
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
      const settings = settingsOf();
      await fc.assert(
        fc.asyncProperty(anyBytes, anyHeaders, async (body, headers) => {
          const outcome = await accept({ ...deliveryOf(""), body, headers }, settings);
          expect(outcome.type).toBe("unauthorized");
        }),
        { numRuns: 500 },
      );
      expect(await settings.inbox.list({})).toEqual([]);
    });

    it("never throws, and always keeps, what is signed", async () => {
      const settings = settingsOf();
      let kept = 0;
      await fc.assert(
        fc.asyncProperty(anyBytes, anyHeaders, async (body, headers) => {
          const others = Object.entries(headers).filter(
            ([name]) => name.toLowerCase() !== SIGNATURE_HEADER,
          );
          const signed = { ...Object.fromEntries(others), ...signedHeaders(body) };
          const outcome = await accept({ ...deliveryOf(""), body, headers: signed }, settings);
          if (outcome.type !== "rejected" && outcome.type !== "accepted") return false;
          if (!outcome.duplicate) kept++;
          const stored = await settings.inbox.delivery(outcome.seq);
          return outcome.duplicate || Buffer.from(stored?.body ?? []).equals(body);
        }),
        { numRuns: 500 },
      );
      expect(await settings.inbox.list({})).toHaveLength(kept);
    });

    it("[case 11] is unauthorized once any bit of a signed body is changed", async () => {
      const settings = settingsOf();
      const good = bytes(envelope());
      await fc.assert(
        fc.asyncProperty(fc.nat({ max: good.length * 8 - 1 }), async (bit) => {
          const body = Buffer.from(good);
          body[bit >> 3] = (body[bit >> 3] ?? 0) ^ (1 << (bit & 7));
          const outcome = await accept({ ...deliveryOf(good), body }, settings);
          return outcome.type === "unauthorized";
        }),
        { numRuns: 200 },
      );
      expect(await settings.inbox.list({})).toEqual([]);
    });
  });
});

it("gives up a schema that never decides, and says which", async () => {
  const never = {
    "~standard": { version: 1, vendor: "test", validate: () => new Promise(() => {}) },
  } as never;
  const settings = settingsOf({ schemas: { "payment.received": never }, bodyTimeout: 20 });
  const outcome = await accept(deliveryOf(envelope()), settings);
  expect(outcome).toMatchObject({ type: "misconfigured", error: { code: "option_invalid" } });
  expect(await settings.inbox.list({})).toEqual([]);
});
