import type { HandlerContext, WebhookEvent } from "../../src/entries/index.ts";

const log = { debug() {}, info() {}, warn() {}, error() {} };

/** An event with an id. */
export function eventOf(id: string): WebhookEvent {
  const webhook = { id: "wh_1", url: "https://app.example/webhooks" };
  const timestamp = "2026-01-15T10:00:00.000Z";
  const kind = "payment.received";
  const data = { id: "payment_1" };
  const envelope = { event: kind, timestamp, data, webhook };
  return { id, kind, timestamp, data, webhook, source: "service", envelope };
}

/** The context of a handler's second attempt, with a body of this many bytes. */
export function contextOf({
  size = 10,
  orderKey = null as string | null,
  signal = new AbortController().signal,
} = {}): HandlerContext {
  const headers = { "x-service-signature": "sha256=0" };
  const body = new Uint8Array(size);
  const delivery = { method: "POST", target: "/webhooks", headers, body, receivedAt: 0 };
  return { attempt: 2, seq: 9, orderKey, signal, delivery, log, note: () => {} };
}
