import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import type { Delivery } from "../../src/event/delivery.ts";
import { carryOut, decideDelivery } from "../../src/inbox/decide-entry.ts";
import type { KeepTerms } from "../../src/inbox/kept.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { accept } from "../../src/receiver/accept.ts";
import { readOptions } from "../../src/receiver/options/options.ts";
import type { ReceiverOptions } from "../../src/receiver/options/receiver-options.ts";
import { at, deliveryOf, envelope, keptLog, NOW, SECRET } from "./sample.ts";

function settingsOf(options: Partial<ReceiverOptions> = {}) {
  return readOptions({ secret: SECRET, inbox: "memory:", log: keptLog().log, clock: () => NOW, ...options });
}

describe("accept leaves the decision to an inbox that can take it", () => {
  const inboxThatKeeps = () => {
    const inbox = memoryInbox();
    const decide = (delivery: Delivery, terms: KeepTerms) => carryOut(decideDelivery(delivery, terms), inbox);
    return Object.assign(inbox, { keep: vi.fn(decide) });
  };

  it("with the receiver's limits, and reports what it became", async () => {
    const inbox = inboxThatKeeps();
    const delivery = deliveryOf(envelope());
    const copied = { ...delivery, body: new Uint8Array(delivery.body) };
    const settings = settingsOf({ inbox, source: "agency", maxAge: 20_000, maxSkew: 30_000 });
    const lease = { token: "lease-1", until: NOW + 1000 };
    const run = vi.fn();
    const outcome = await accept(delivery, settings, { holdMs: 0, reservation: { lease, run } });
    expect(outcome).toMatchObject({ type: "accepted", seq: 1, kind: "payment.received", duplicate: false });
    const limits = { maxAge: 20_000, maxSkew: 30_000, now: NOW };
    expect(inbox.keep.mock.calls).toEqual([[delivery, { source: "agency", holdMs: 0, lease, ...limits }]]);
    expect(run).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ seq: 1, delivery: copied }));
    expect(await accept(deliveryOf("{"), settings)).toMatchObject({ type: "rejected", seq: 2 });
  });

  it.each<[string, Partial<ReceiverOptions>]>([
    ["an identity", { identity: () => "x" }],
    ["an order", { orderBy: () => "x" }],
    ["schemas", { schemas: { "lead.created": z.object({}) } }],
  ])("unless the user has %s", async (_, options) => {
    const inbox = inboxThatKeeps();
    expect(await accept(deliveryOf(envelope()), settingsOf({ inbox, ...options }))).toMatchObject({ seq: 1 });
    expect(inbox.keep).not.toHaveBeenCalled();
  });
});

it("a delivery that cannot be kept is unavailable, and its error is logged", async () => {
  const { log, lines } = keptLog();
  const inbox = memoryInbox();
  vi.spyOn(inbox, "append").mockRejectedValue(new Error("disk full"));
  const outcome = await accept(deliveryOf(envelope()), settingsOf({ inbox, log }));
  expect(outcome).toMatchObject({ type: "unavailable", error: { message: "disk full" } });
  expect(lines).toMatchObject([{ level: "error", fields: { error: "disk full" } }]);
});

describe("an event that differs from an earlier one only in its timestamp", () => {
  const earlier = envelope({ timestamp: at(-60_000) });

  it("is a restamp of it, and a duplicate is none", async () => {
    const settings = settingsOf();
    const first = await accept(deliveryOf(earlier), settings);
    const eventId = first.type === "accepted" ? first.eventId : "";
    expect(await accept(deliveryOf(envelope()), settings)).toMatchObject({ restampOf: eventId });
    expect(await accept(deliveryOf(earlier), settings)).toMatchObject({
      duplicate: true,
      restampOf: undefined,
    });
  });

  it("is no restamp if the user's identity has told them apart", async () => {
    const settings = settingsOf({ identity: ({ timestamp }) => timestamp });
    await accept(deliveryOf(earlier), settings);
    expect(await accept(deliveryOf(envelope()), settings)).toMatchObject({
      duplicate: false,
      restampOf: undefined,
    });
  });
});

it("a delivery is misconfigured if the secrets cannot be read for it, and nothing is kept", async () => {
  const secret = vi.fn(() => SECRET).mockImplementationOnce(() => "");
  const settings = settingsOf({ secret });
  expect(await accept(deliveryOf(envelope()), settings)).toMatchObject({
    type: "misconfigured",
    error: { code: "secret_empty" },
  });
  expect(await settings.inbox.list({})).toEqual([]);
  expect(await accept(deliveryOf(envelope()), settings)).toMatchObject({ type: "accepted" });
});
