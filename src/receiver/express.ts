import type { RequestHandler } from "express";
import { checkPath, isEndpoint } from "./endpoint-path.ts";
import { exchange, reportPassedOn } from "./http-exchange.ts";
import type { Receiver } from "./receiver.ts";

export { createServer, type ExpressServerOptions } from "../http/express-server.ts";

/** Where the endpoint is. */
export interface ExpressReceiverOptions {
  /**
   * The endpoint's whole path, compared exactly. One closing slash more or less is the same endpoint, and any query is
   * accepted. Default: the path where the receiver is mounted, as Express matched it, so `/WEBHOOKS` matches too unless
   * the app's routing is case-sensitive.
   */
  readonly path?: string;
}

/**
 * A receiver as an Express 5 handler: `app.use("/webhooks", expressReceiver(receiver))`, before any body parser. Requests
 * for other paths, also below its own, go on to `next()`; if the rest of the app answers a signed one with 404, the
 * receiver logs a warning.
 *
 * @throws ConfigurationError `option_invalid` for a path without a slash at its start, or with a query
 */
export function expressReceiver(
  receiver: Pick<Receiver, "receive">,
  { path }: ExpressReceiverOptions = {},
): RequestHandler {
  if (path !== undefined) checkPath(path, "path");
  return (request, response, next) => {
    // `path` of a request is what is left below the mount point; under `app.post(...)` it is the whole.
    const mounted = request.route === undefined ? request.baseUrl || "/" : request.baseUrl + request.path;
    const endpoint = { target: request.originalUrl, path: path ?? mounted };
    if (isEndpoint(endpoint.target, endpoint.path)) {
      void exchange(receiver, request, response, endpoint);
      return;
    }
    response.once("finish", () => {
      if (response.statusCode === 404) void reportPassedOn(receiver, request, endpoint);
    });
    next();
  };
}
