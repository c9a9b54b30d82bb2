import type { Envelope } from "./envelope.ts";
import type { OpenObject } from "./schemas.ts";

/** A verified, validated envelope with its event id, as passed to handlers. */
export interface WebhookEvent<Kind extends string = string, Data = OpenObject> {
  /** The envelope's own `id`, or one derived from its content. The same for every retry. */
  readonly id: string;
  /**
   * Event kind, such as `payment.received`: one of the 12, or one that this version does not know.
   */
  readonly kind: Kind;
  /** ISO 8601 UTC, as sent. */
  readonly timestamp: string;
  /**
   * The resource that the event is about: the schema's output if the kind has a schema, else `data`
   * as sent.
   */
  readonly data: Data;
  /** The subscription the delivery was made for. */
  readonly webhook: { readonly id: string; readonly url: string };
  /** The receiver's name for the sender. */
  readonly source: string;
  /** The whole envelope as sent, including fields that this version does not know. */
  readonly envelope: Envelope;
}
