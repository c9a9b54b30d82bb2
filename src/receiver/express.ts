import type { RequestHandler } from "express";
import { checkAdapter } from "./check-adapter.ts";
import { exchange } from "./http-exchange.ts";
import type { Receiver } from "./receiver.ts";

export { createServer, type ExpressServerOptions } from "../http/express-server.ts";

/** Where the endpoint is. */
export interface ExpressReceiverOptions {
  /**
   * The whole request target of the endpoint, compared letter for letter. Default: the path the receiver is mounted at,
   * as Express matched it, so `/WEBHOOKS` and a slash at the end count too unless the app's routing is strict.
   */
  readonly path?: string | undefined;
}

/**
 * A receiver as an Express 5 handler: `app.use("/webhooks", expressReceiver(receiver))`, before any body parser. What
 * lies below its path, or has a query, answers 404.
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
    // `path` of a request is what is left below the mount point; under `app.post(...)` it is the whole.
    const mounted = request.route === undefined ? request.baseUrl || "/" : request.baseUrl + request.path;
    void exchange(receiver, request, response, { target: request.originalUrl, path: path ?? mounted });
  };
}
