/**
 * Requests of a framework or a platform come in, with their bodies unread. A delivery goes to the
 * receiver, and its answer back to the sender. No byte of a body is changed.
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Answer } from "../http/answer.ts";
import { writeAnswer as write } from "../http/answer.ts";
import { DEFAULT_PATH } from "../http/default-endpoint.ts";
import type { BodyLimits, BodyResult } from "../http/read-body.ts";
import type { Receiver } from "../receiver/receiver.ts";
import { checkAdapter } from "./check-adapter.ts";
import { exchange, readUnparsed } from "./http-exchange.ts";

/** Options of {@link nodeReceiver}. */
export interface NodeReceiverOptions {
  /**
   * The endpoint's path, compared exactly. One closing slash more or less is the same endpoint, and
   * any query is accepted. Default `/webhooks`.
   */
  readonly path?: string | undefined;
}

/**
 * Wraps a receiver as a request listener for `node:http`. Answers 404 to every other path. The
 * promise that it returns is resolved once the answer is written, and never rejected.
 *
 * @throws ConfigurationError `option_invalid`, also for a path without a slash at its start, or
 * with a query
 *
 * @example
 * ```ts
 * import { createServer } from "node:http";
 * import { createReceiver } from "hookporter";
 * import { nodeReceiver } from "hookporter/node";
 *
 * const receiver = createReceiver({ secret: process.env.HOOKPORTER_SECRET });
 * await receiver.start();
 * createServer({ keepAliveTimeout: 65_000 }, nodeReceiver(receiver, { path: "/webhooks" })).listen(3000, "127.0.0.1");
 * ```
 */
export function nodeReceiver(
  receiver: Pick<Receiver, "receive">,
  options: NodeReceiverOptions = {},
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  checkAdapter(receiver, options, "nodeReceiver");
  const { path = DEFAULT_PATH } = options;
  return (request, response) =>
    exchange(receiver, request, response, { target: request.url ?? "", path });
}

/**
 * Reads the raw bytes of a Node request, as the adapters do: for an adapter of your own, as `read`
 * of an `Incoming`. Takes a body that `express.raw()` has read, or `rawBody` if the body was
 * parsed.
 *
 * @throws ConfigurationError `body_already_parsed`
 *
 * @example
 * ```ts
 * import type { IncomingMessage, ServerResponse } from "node:http";
 * import type { Receiver } from "hookporter";
 * import { readBody, writeAnswer } from "hookporter/node";
 *
 * export async function handle(receiver: Receiver, request: IncomingMessage, response: ServerResponse) {
 *   const { method = "", url: target = "", headers } = request;
 *   const read = (limits: Parameters<typeof readBody>[1]) => readBody(request, limits);
 *   await writeAnswer(response, await receiver.receive({ method, target, path: "/webhooks", headers, read }));
 * }
 * ```
 */
export async function readBody(request: IncomingMessage, limits: BodyLimits): Promise<BodyResult> {
  return readUnparsed(request, limits);
}

/**
 * Writes an answer to a Node response, unless the connection is closed. If the answer closes the
 * connection, first lets the sender receive it.
 *
 * @example
 * ```ts
 * import { createServer } from "node:http";
 * import { writeAnswer } from "hookporter/node";
 *
 * createServer((_, response) => void writeAnswer(response, { status: 404, headers: {}, body: "" }));
 * ```
 */
export async function writeAnswer(response: ServerResponse, answer: Answer): Promise<void> {
  await write(response, answer);
}
