import type { WebhookEvent } from "../event/event.ts";
import type { ReadEnvelope } from "../event/read-envelope.ts";
import type { OpenObject } from "../event/schemas.ts";

/** Turns an envelope into the event that handlers receive; `data` may be a schema's output instead of what was sent. */
export function toEvent(
  { envelope, eventId }: Pick<ReadEnvelope, "envelope" | "eventId">,
  source: string,
  data: unknown = envelope.data,
): WebhookEvent {
  const { event: kind, timestamp, webhook } = envelope;
  return { id: eventId, kind, timestamp, data: data as OpenObject, webhook, source, envelope };
}
