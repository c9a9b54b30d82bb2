import type { Delivery } from "../event/delivery.ts";

export function noDelivery(receivedAt: number): Delivery {
  return { method: "", target: "", headers: {}, body: new Uint8Array(), receivedAt };
}
