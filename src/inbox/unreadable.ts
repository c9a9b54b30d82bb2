import type { Delivery } from "../event/delivery.ts";

/** Stands in for the delivery of an entry whose own cannot be read. */
export function noDelivery(receivedAt: number): Delivery {
  return { method: "", target: "", headers: {}, body: new Uint8Array(), receivedAt };
}
