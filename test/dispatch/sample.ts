import type { Logger, WebhookEvent } from "../../src/entries/index.ts";

/** A new event, like each handler's. */
export function sampleEvent(): WebhookEvent {
  const timestamp = "2024-01-15T12:00:00Z";
  const webhook = { id: "wh_1", url: "https://example.com" };
  const envelope = { event: "payment.received", timestamp, data: { amount: 1 }, webhook };
  return {
    id: "evt_1",
    kind: "payment.received",
    timestamp,
    data: envelope.data,
    webhook,
    source: "service",
    envelope,
  };
}

/** A logger that keeps its lines. */
export function keptLog(): Logger & { readonly lines: { level: string; fields: object }[] } {
  const lines: { level: string; fields: object }[] = [];
  const keep = (level: string) => (fields: object) => void lines.push({ level, fields });
  return {
    lines,
    debug: keep("debug"),
    info: keep("info"),
    warn: keep("warn"),
    error: keep("error"),
  };
}

/** A promise and the function that resolves it. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
