import { isRecord } from "../base/is-record.ts";
import type { Envelope } from "./envelope.ts";

/**
 * The first field of a JSON object that is missing or invalid, such as `webhook.id`; `undefined` for an envelope. The same
 * as its schema says, but faster, and on any runtime.
 */
export function invalidField(value: object): string | undefined {
  const { event, timestamp, data, webhook } = value as Partial<Envelope>;
  if (typeof event !== "string") return "event";
  if (typeof timestamp !== "string") return "timestamp";
  if (!isRecord(data)) return "data";
  if (!isRecord(webhook)) return "webhook";
  if (typeof webhook.id !== "string" || !webhook.id.startsWith("wh_")) return "webhook.id";
  return typeof webhook.url === "string" ? undefined : "webhook.url";
}
