import type { RequestHandler } from "express";
import { exchange } from "./http-exchange.ts";
import type { Receiver } from "./receiver.ts";

export { createServer, type ExpressServerOptions } from "../http/express-server.ts";

/** Options of {@link expressReceiver}. */
export interface ExpressReceiverOptions {
  /**
   * The endpoint's full request target, compared exactly. Default: the path the receiver is mounted at, as Express matched
   * it, so `/WEBHOOKS` and a trailing slash also match unless the app's routing is strict.
   */
  readonly path?: string;
}

/**
 * Wraps a receiver as an Express 5 handler: `app.use("/webhooks", expressReceiver(receiver))`, before any body parser.
 * Answers 404 to subpaths, and to targets with a query string.
 */
export function expressReceiver(
  receiver: Pick<Receiver, "receive">,
  { path }: ExpressReceiverOptions = {},
): RequestHandler {
  return (request, response) => {
    // request.path is relative to the mount point; under `app.post(...)` it is the whole path.
    const mounted = request.route === undefined ? request.baseUrl || "/" : request.baseUrl + request.path;
    void exchange(receiver, request, response, { target: request.originalUrl, path: path ?? mounted });
  };
}
