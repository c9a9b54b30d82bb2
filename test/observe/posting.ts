import type { Answer, DeliveryHeaders, Receiver } from "../../src/entries/index.ts";
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
