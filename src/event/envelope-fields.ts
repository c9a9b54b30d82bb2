import { isRecord } from "../base/is-record.ts";
import type { Envelope } from "./envelope.ts";

/** Whether a JSON object is an envelope. The same as its schema says, but faster, and on any runtime. */
export function isEnvelope(value: object): value is Envelope {
  return invalidField(value) === undefined;
}

/** The first field that is missing or invalid, such as `webhook.id`; `undefined` for an envelope. */
export function invalidField(value: object): string | undefined {
  const { event, timestamp, data, webhook } = value as Partial<Envelope>;
  if (typeof event !== "string") return "event";
  if (typeof timestamp !== "string") return "timestamp";
  if (!isRecord(data)) return "data";
  if (!isRecord(webhook)) return "webhook";
  if (typeof webhook.id !== "string" || !webhook.id.startsWith("wh_")) return "webhook.id";
  return typeof webhook.url === "string" ? undefined : "webhook.url";
}
