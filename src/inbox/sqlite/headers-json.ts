import type { Delivery } from "../../event/delivery.ts";

/** The headers of deliveries that came to this thread as JSON. */
const asJson = new WeakMap<Delivery, string>();

/** A delivery whose headers are parsed when they are read; until then, and to be stored, they stay the JSON they are. */
export function deliveryWithHeadersAsJson({
  method,
  target,
  headers,
  body,
  receivedAt,
}: Omit<Delivery, "headers"> & { readonly headers: string }): Delivery {
  const delivery: Delivery = {
    method,
    target,
    get headers() {
      return JSON.parse(headers);
    },
    body,
    receivedAt,
  };
  asJson.set(delivery, headers);
  return delivery;
}

/** The headers of a delivery as they are stored. */
export function headersJson(delivery: Delivery): string {
  return asJson.get(delivery) ?? JSON.stringify(delivery.headers);
}
