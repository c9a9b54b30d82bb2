import type { IncomingMessage, ServerResponse } from "node:http";
import { DEFAULT_PATH } from "../default-endpoint.ts";
import { exchange } from "./http-exchange.ts";
import type { Receiver } from "./receiver.ts";

/** Where the endpoint is. */
export interface NodeReceiverOptions {
  /** The request target of the endpoint, compared letter for letter. Default `/webhooks`. */
  readonly path?: string;
}

/** A receiver as a request listener for `node:http`: every other path answers 404. */
export function nodeReceiver(
  receiver: Pick<Receiver, "receive">,
  { path = DEFAULT_PATH }: NodeReceiverOptions = {},
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    void exchange(receiver, request, response, { target: request.url ?? "", path });
  };
}
