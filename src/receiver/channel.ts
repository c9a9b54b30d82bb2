import type { Delivery } from "../event/delivery.ts";

/** The method of deliveries that came over a channel. No HTTP request has it: endpoints take `POST` alone. */
export const CHANNEL_METHOD = "STREAM";

/**
 * A connection this side opened and authenticated, which so vouches for what comes over it, such as a stream. Deliveries
 * over it carry no signature, and are never marked as if they did.
 */
export interface Channel {
  /** What kind of channel it is, such as `stream`: named in the outcome. */
  readonly name: string;
  /** Where it leads, without credentials: kept as the delivery's target. */
  readonly address: string;
}

/** What came over a channel, as a delivery: marked by its method, and without any header that nobody sent. */
export function channelDelivery({ address }: Channel, body: Uint8Array, receivedAt: number): Delivery {
  return { method: CHANNEL_METHOD, target: address, headers: {}, body, receivedAt };
}
