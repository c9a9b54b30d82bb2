import type { IncomingMessage, ServerResponse } from "node:http";
import { DEFAULT_PATH } from "../default-endpoint.ts";
import { exchange } from "./http-exchange.ts";
import type { Receiver } from "./receiver.ts";

/** Options of {@link nodeReceiver}. */
export interface NodeReceiverOptions {
  /** The endpoint's request target, compared exactly. Default `/webhooks`. */
  readonly path?: string;
}

/** Wraps a receiver as a request listener for `node:http`. Answers 404 to every other path. */
export function nodeReceiver(
  receiver: Pick<Receiver, "receive">,
  { path = DEFAULT_PATH }: NodeReceiverOptions = {},
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    void exchange(receiver, request, response, { target: request.url ?? "", path });
  };
}
