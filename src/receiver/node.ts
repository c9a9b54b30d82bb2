import type { IncomingMessage, ServerResponse } from "node:http";
import { DEFAULT_PATH } from "../default-endpoint.ts";
import { checkAdapter } from "./check-adapter.ts";
import { exchange } from "./http-exchange.ts";
import type { Receiver } from "./receiver.ts";

/** Options of {@link nodeReceiver}. */
export interface NodeReceiverOptions {
  /** The endpoint's request target, compared exactly. Default `/webhooks`. */
  readonly path?: string | undefined;
}

/**
 * Wraps a receiver as a request listener for `node:http`. Answers 404 to every other path.
 *
 * @throws ConfigurationError `option_invalid`
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
  return (request, response) => {
    void exchange(receiver, request, response, { target: request.url ?? "", path });
  };
}
