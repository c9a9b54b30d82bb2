import type { Envelope } from "./envelope.ts";
import type { OpenObject } from "./schemas.ts";

/** A verified, validated envelope with its event id: what handlers get. */
export interface WebhookEvent<Kind extends string = string, Data = OpenObject> {
  /** The envelope's own `id` if it has one, else derived from its content: the same for every retry. */
  readonly id: string;
  /** Event kind, such as `payment.received`: one of the 12, or one this version does not know. */
  readonly kind: Kind;
  /** ISO 8601 UTC, as it was sent. */
  readonly timestamp: string;
  /** The resource concerned: the schema's output where the kind has a schema, else as it was sent. */
  readonly data: Data;
  /** The subscription the delivery was made for. */
  readonly webhook: { readonly id: string; readonly url: string };
  /** The receiver's name for who sent it. */
  readonly source: string;
  /** The whole envelope as it was sent, fields unknown to this version included. */
  readonly envelope: Envelope;
}
