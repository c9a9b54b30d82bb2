import type { RequestHandler } from "express";
import { checkAdapter } from "./check-adapter.ts";
import { exchange } from "./http-exchange.ts";
import type { Receiver } from "./receiver.ts";

export { createServer, type ExpressServerOptions } from "../http/express-server.ts";

/** Options of {@link expressReceiver}. */
export interface ExpressReceiverOptions {
  /**
   * The endpoint's full request target, compared exactly. Default: the path the receiver is mounted at, as Express matched
   * it, so `/WEBHOOKS` and a trailing slash also match unless the app's routing is strict.
   */
  readonly path?: string | undefined;
}

/**
 * Wraps a receiver as an Express 5 handler: `app.use("/webhooks", expressReceiver(receiver))`, before any body parser.
 * Answers 404 to subpaths, and to targets with a query string.
 *
 * @throws ConfigurationError `option_invalid`
 *
 * @example
 * ```ts
 * import express from "express";
 * import { createReceiver } from "hookporter";
 * import { expressReceiver } from "hookporter/express";
 *
 * const receiver = createReceiver({ secret: process.env.HOOKPORTER_SECRET });
 * await receiver.start();
 * express().use("/webhooks", expressReceiver(receiver)).use(express.json()).listen(3000, "127.0.0.1");
 * ```
 */
export function expressReceiver(
  receiver: Pick<Receiver, "receive">,
  options: ExpressReceiverOptions = {},
): RequestHandler {
  checkAdapter(receiver, options, "expressReceiver");
  const { path } = options;
  return (request, response) => {
    // request.path is relative to the mount point; under `app.post(...)` it is the whole path.
    const mounted = request.route === undefined ? request.baseUrl || "/" : request.baseUrl + request.path;
    void exchange(receiver, request, response, { target: request.originalUrl, path: path ?? mounted });
  };
}
