import type { IncomingMessage, ServerResponse } from "node:http";
import { DEFAULT_PATH } from "../default-endpoint.ts";
import { checkAdapter } from "./check-adapter.ts";
import { checkPath } from "./endpoint-path.ts";
import { exchange } from "./http-exchange.ts";
import type { Receiver } from "./receiver.ts";

/** Options of {@link nodeReceiver}. */
export interface NodeReceiverOptions {
  /**
   * The endpoint's path, compared exactly. One closing slash more or less is the same endpoint, and any query is accepted.
   * Default `/webhooks`.
   */
  readonly path?: string | undefined;
}

/**
 * Wraps a receiver as a request listener for `node:http`. Answers 404 to every other path.
 *
 * @throws ConfigurationError `option_invalid`, also for a path without a slash at its start, or with a query
 *
 * @example
 * ```ts
 * import { createServer } from "node:http";
 * import { createReceiver } from "hookporter";
 * import { nodeReceiver } from "hookporter/node";
 *
 * const receiver = createReceiver({ secret: process.env.HOOKPORTER_SECRET });
 * await receiver.start();
 * createServer(nodeReceiver(receiver, { path: "/webhooks" })).listen(3000, "127.0.0.1");
 * ```
 */
export function nodeReceiver(
  receiver: Pick<Receiver, "receive">,
  options: NodeReceiverOptions = {},
): (request: IncomingMessage, response: ServerResponse) => void {
  checkAdapter(receiver, options, "nodeReceiver");
  const { path = DEFAULT_PATH } = options;
  checkPath(path, "path");
  return (request, response) => {
    void exchange(receiver, request, response, { target: request.url ?? "", path });
  };
}
