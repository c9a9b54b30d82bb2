import type { RequestHandler } from "express";
import { answerGivenUp } from "../http/refused-streak.ts";
import { isEndpoint } from "../receiver/admit.ts";
import type { Receiver } from "../receiver/receiver.ts";
import { checkAdapter } from "./check-adapter.ts";
import { exchange, reportPassedOn } from "./http-exchange.ts";

export { createWebhookServer, type ExpressServerOptions } from "../http/express-server.ts";

/** Options of {@link expressReceiver}. */
export interface ExpressReceiverOptions {
  /**
   * The endpoint's whole path, compared exactly. One closing slash more or less is the same
   * endpoint, and any query is accepted. Default: the path where the receiver is mounted, as
   * Express matched it, so `/WEBHOOKS` matches too unless the app's routing is case-sensitive.
   */
  readonly path?: string | undefined;
}

/**
 * Wraps a receiver as a handler for Express 4 and 5:
 * `app.use("/webhooks", expressReceiver(receiver))`, before any body parser. Requests for other
 * paths, also below its own, go on to `next()`; if the rest of the app answers a signed one with
 * 404, the receiver logs a warning.
 *
 * @throws ConfigurationError `option_invalid`, also for a path without a slash at its start, or
 * with a query
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
  return (request, response, next) => {
    // also for other paths: the whole connection is given up
    if (answerGivenUp(request, response)) return undefined;
    // request.path is relative to the mount point; under `app.post(...)` it is the whole path.
    const mounted =
      request.route === undefined ? request.baseUrl || "/" : request.baseUrl + request.path;
    const endpoint = { target: request.originalUrl, path: path ?? mounted };
    if (isEndpoint(endpoint.target, endpoint.path))
      return exchange(receiver, request, response, endpoint);
    // If middleware has rewritten the URL, this is the endpoint all the same.
    const isRewritten = path === undefined && !endpoint.target.startsWith(mounted);
    if (isRewritten && isEndpoint(request.baseUrl + request.url, mounted)) {
      const [sent = ""] = endpoint.target.split("?", 1);
      return exchange(receiver, request, response, { ...endpoint, path: sent });
    }
    response.once("finish", () => {
      if (response.statusCode === 404) reportPassedOn(receiver, request, endpoint);
    });
    next();
    return undefined;
  };
}
