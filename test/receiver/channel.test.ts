import { expect, it } from "vitest";
import { startServer } from "../../src/adapters/server.ts";
import type { Delivery } from "../../src/entries/index.ts";
import { CHANNEL_METHOD } from "../../src/receiver/channel.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { formatDelivery, parseFixture } from "../../src/relay/fixture.ts";
import { openReceiver, posting } from "./open.ts";
import { bytes, deliveryOf, envelope, freshEnvelope, keptBytes } from "./sample.ts";

const CHANNEL = { name: "stream", address: "ws://127.0.0.1:1/stream" };

it("a delivery over a channel needs no signature; its exact bytes are kept without headers, and its handlers run", async () => {
  const { receiver, entry, untilState } = await openReceiver();
  const seen: string[] = [];
  receiver.on(
    "payment.received",
    (event, { delivery }) => void seen.push(`${event.id} ${delivery.method}`),
  );
  const body = Buffer.from(JSON.stringify(envelope(), null, 3));
  const outcome = await receiver.acceptFrom(CHANNEL, body);
  expect(outcome).toMatchObject({ type: "accepted", duplicate: false, channel: "stream" });
  expect(outcome).toMatchObject({ secret: undefined });
  await untilState("handled");
  expect(seen).toEqual([`${(await entry()).key.eventId} STREAM`]);
  expect(await keptBytes(inboxOf(receiver))).toEqual(body);
  const kept = (await inboxOf(receiver).delivery(1)) as Delivery;
  const marked = { method: CHANNEL_METHOD, headers: {} };
  expect(kept).toMatchObject({ ...marked, target: CHANNEL.address });
  const saved = parseFixture(Buffer.from(formatDelivery(kept)), "saved");
  expect(saved).toMatchObject({ type: "delivery", delivery: marked });
});

it("an event received over the channel and signed is one event", async () => {
  const { receiver, entries } = await openReceiver();
  const body = envelope();
  expect(await receiver.accept(deliveryOf(body))).toMatchObject({ duplicate: false });
  const other = { ...body, webhook: { id: "wh_stream", url: "ws://x" } };
  expect(await receiver.acceptFrom(CHANNEL, bytes(other))).toMatchObject({ duplicate: true });
  expect(await entries()).toHaveLength(1);
});

it("a delivery over a channel is validated like a signed one, and kept as a dead letter if invalid", async () => {
  const { receiver, entries } = await openReceiver();
  const outcomes = [
    await receiver.acceptFrom(CHANNEL, bytes("not JSON")),
    await receiver.acceptFrom(CHANNEL, bytes(freshEnvelope({ timestamp: "2001-01-01T00:00:00Z" }))),
    await receiver.acceptFrom(CHANNEL, bytes(freshEnvelope({ event: "property.created" }))),
  ];
  expect(outcomes).toMatchObject([
    { type: "rejected", rejection: { reason: "invalid_json" }, channel: "stream" },
    { type: "rejected", rejection: { reason: "too_old" } },
    { type: "accepted", reason: "invalid_data", entryState: "dead" },
  ]);
  expect(await entries()).toHaveLength(3);
});

it("a delivery over a channel is refused if it exceeds the size limit, or arrives after close()", async () => {
  const { receiver, entries, outcomes } = await openReceiver({ bodyLimit: 10 });
  const outcome = await receiver.acceptFrom(CHANNEL, Buffer.alloc(11));
  expect(outcome).toEqual({ type: "refused", reason: "too_large" });
  expect(await receiver.acceptFrom(CHANNEL, Buffer.alloc(10))).toMatchObject({ type: "rejected" });
  await receiver.close();
  expect(await receiver.acceptFrom(CHANNEL, Buffer.alloc(1))).toMatchObject({
    type: "unavailable",
  });
  expect(outcomes().map(({ type }) => type)).toEqual(["refused", "rejected", "unavailable"]);
  expect(await entries()).toHaveLength(1);
});

it("HTTP requests still need a signature, whatever their method", async () => {
  const { receiver, entries } = await openReceiver();
  const server = await startServer(receiver, { port: 0, host: "127.0.0.1", path: "/webhooks" });
  const { ask } = posting(server.url);
  const body = bytes(envelope());
  expect((await ask({ body, headers: { "x-hookporter-channel": "stream" } })).status).toBe(401);
  const claim = fetch(server.url, { method: CHANNEL_METHOD, body });
  expect((await claim).status).toBeGreaterThanOrEqual(400);
  expect(await entries()).toEqual([]);
  await server.close();
});
