import type { IncomingMessage, ServerResponse } from "node:http";
import { DEFAULT_PATH } from "../default-endpoint.ts";
import { checkPath } from "./endpoint-path.ts";
import { exchange } from "./http-exchange.ts";
import type { Receiver } from "./receiver.ts";

/** Where the endpoint is. */
export interface NodeReceiverOptions {
  /**
   * The endpoint's path, compared exactly. One closing slash more or less is the same endpoint, and any query is accepted.
   * Default `/webhooks`.
   */
  readonly path?: string;
}

/**
 * A receiver as a request listener for `node:http`: every other path answers 404.
 *
 * @throws ConfigurationError `option_invalid` for a path without a slash at its start, or with a query
 */
export function nodeReceiver(
  receiver: Pick<Receiver, "receive">,
  { path = DEFAULT_PATH }: NodeReceiverOptions = {},
): (request: IncomingMessage, response: ServerResponse) => void {
  checkPath(path, "path");
  return (request, response) => {
    void exchange(receiver, request, response, { target: request.url ?? "", path });
  };
}
