import type { Delivery, DeliveryHeaders } from "../../event/delivery.ts";

class DeliveryToStore implements Delivery {
  readonly method: string;
  readonly target: string;
  readonly body: Uint8Array;
  readonly receivedAt: number;
  readonly #headers: string;

  constructor({ method, target, headers, body, receivedAt }: DeliveryWithJson) {
    this.method = method;
    this.target = target;
    this.body = body;
    this.receivedAt = receivedAt;
    this.#headers = headers;
  }

  get headers(): DeliveryHeaders {
    return JSON.parse(this.#headers);
  }

  static headersJson(delivery: Delivery): string {
    return #headers in delivery ? delivery.#headers : JSON.stringify(delivery.headers);
  }
}

type DeliveryWithJson = Omit<Delivery, "headers"> & { readonly headers: string };

/** A delivery whose headers are parsed when they are read; until then, and to be stored, they stay the JSON they are. */
export function deliveryWithHeadersAsJson(delivery: DeliveryWithJson): Delivery {
  return new DeliveryToStore(delivery);
}

export const { headersJson } = DeliveryToStore;
