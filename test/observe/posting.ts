import type { DeliveryHeaders } from "../../src/event/delivery.ts";
import type { Answer } from "../../src/http/answer.ts";
import type { Receiver } from "../../src/receiver/receiver.ts";
import { bytes, signedHeaders } from "../receiver/sample.ts";

interface Differing {
  readonly secret?: string;
  readonly method?: string;
  readonly headers?: DeliveryHeaders;
}

/** A function that passes a signed request to a receiver, as an adapter does. */
export function postTo(receiver: Pick<Receiver, "receive">) {
  return (
    content: object | string,
    { secret, method = "POST", headers }: Differing = {},
  ): Promise<Answer> => {
    const body = bytes(content);
    return receiver.receive({
      method,
      target: "/webhooks",
      path: "/webhooks",
      headers: headers ?? signedHeaders(body, secret),
      read: async () => body,
    });
  };
}
