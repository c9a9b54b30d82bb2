import type { Delivery } from "../event/delivery.ts";

/**
 * The method of deliveries received over a channel. No HTTP delivery has it, since endpoints accept
 * only `POST`.
 */
export const CHANNEL_METHOD = "STREAM";

/**
 * A connection that this side opened and authenticated, such as a stream. What arrives over it is
 * therefore trusted without a signature, and is never marked as signed.
 */
export interface Channel {
  /** The kind of channel, such as `stream`; reported in the outcome. */
  readonly name: string;
  /** The address it connects to, without credentials; kept as the delivery's target. */
  readonly address: string;
}

/**
 * Turns a message from a channel into a delivery: marked by its method, with no headers, since none
 * were sent.
 */
export function channelDelivery(
  { address }: Channel,
  body: Uint8Array,
  receivedAt: number,
): Delivery {
  return { method: CHANNEL_METHOD, target: address, headers: {}, body, receivedAt };
}
