import type { Delivery } from "../event/delivery.ts";

/** A stand-in for a delivery that cannot be read. */
export function noDelivery(receivedAt: number): Delivery {
  return { method: "", target: "", headers: {}, body: new Uint8Array(), receivedAt };
}
