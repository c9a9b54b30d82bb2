import * as z from "zod";
import type { OpenObject } from "./schemas.ts";

/**
 * The JSON object in a delivery's body (service description, section "Body envelope"). Every object is open: fields
 * the description does not name are kept, since compatibility within a version lets the service add some.
 */
export const envelopeSchema = z.looseObject({
  /** Event kind. Any text is let through here: an unknown kind is kept, not refused. */
  event: z.string(),
  /** ISO 8601 UTC timestamp; its form is checked apart, by `parseTimestamp`. */
  timestamp: z.string(),
  /** Resource concerned by the event. */
  data: z.custom<OpenObject>(isObject),
  /** The subscription this delivery was made for. */
  webhook: z.looseObject({ id: z.string().startsWith("wh_"), url: z.string() }),
});

/** A validated envelope, unknown fields included. */
export type Envelope = z.infer<typeof envelopeSchema>;

/**
 * Whether a value is certainly an envelope: a quick yes for {@link envelopeSchema}, which knows why where this says no.
 */
export function isEnvelope(value: object): value is Envelope {
  const { event, timestamp, data, webhook } = value as Partial<Envelope>;
  return (
    typeof event === "string" &&
    typeof timestamp === "string" &&
    isObject(data) &&
    isObject(webhook) &&
    typeof webhook.id === "string" &&
    webhook.id.startsWith("wh_") &&
    typeof webhook.url === "string"
  );
}

/** Data is taken as it is: a schema would copy each of its keys. */
function isObject(value: unknown): value is OpenObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
