import { IncomingMessage, type RequestListener, Server, ServerResponse } from "node:http";
import type { Express } from "express";
import {
  type Check,
  checkedElsewhere,
  checkOptions,
  invalid,
  MAX_TIMER,
  wholeNumber,
} from "../base/options/check-options.ts";
import { ConnectionCap } from "./connection-cap.ts";
import { answerGivenUp } from "./refused-streak.ts";

/** Limits of the server. Times are in milliseconds, as in Node. */
export interface ExpressServerOptions {
  /** Time for the head of a request. Default 60 000. */
  readonly headersTimeout?: number | undefined;
  /** Time for a whole request. Default 300 000. */
  readonly requestTimeout?: number | undefined;
  /** Interval at which those two are checked. Default 30 000. */
  readonly connectionsCheckingInterval?: number | undefined;
  /**
   * How long a connection may be idle before it is closed; longer than the proxy or balancer in
   * front keeps one, as it would else send a delivery on a connection that is being closed, and
   * answer 502. Default 65 000.
   */
  readonly keepAliveTimeout?: number | undefined;
  /**
   * The most connections; `Infinity` for no limit. A new one beyond it ends the one that has been
   * idle longest, or else one whose request makes no progress. Each is an open file, so keep it
   * below `ulimit -n`. Default 4096.
   */
  readonly maxConnections?: number | undefined;
}

/**
 * Balancers and proxies keep an idle connection for 60 seconds by default; Node's own 5 are less.
 */
const KEEP_ALIVE = 65_000;

/** Node takes 0 for no limit. */
const limit = wholeNumber("milliseconds", 0, MAX_TIMER);
const CHECKS: Readonly<Record<keyof ExpressServerOptions, Check>> = {
  headersTimeout: limit,
  requestTimeout: limit,
  connectionsCheckingInterval: wholeNumber("milliseconds", 1, MAX_TIMER),
  keepAliveTimeout: limit,
  maxConnections: checkedElsewhere,
};

/**
 * Creates an HTTP server for an Express app, in place of `app.listen()`: the same, but faster and
 * with a limit on connections. Express sets the app's prototypes on every request and response; on
 * Node 20 and 22 this costs more than the rest of a small request. Here they are created with them.
 * Call it once per app, after its settings and before the first request.
 *
 * @throws ConfigurationError `option_invalid`
 *
 * @example
 * ```ts
 * import express from "express";
 * import { createReceiver } from "hookporter";
 * import { createWebhookServer, expressReceiver } from "hookporter/express";
 *
 * const receiver = createReceiver({ secret: process.env.HOOKPORTER_SECRET });
 * await receiver.start();
 * const app = express().use("/webhooks", expressReceiver(receiver));
 * createWebhookServer(app, { maxConnections: 1000 }).listen(3000, "127.0.0.1");
 * ```
 */
export function createWebhookServer(app: Express, options: ExpressServerOptions = {}): Server {
  if (typeof app !== "function")
    throw invalid("an Express app", app, "pass the result of express()");
  checkOptions(options, "the options of createWebhookServer", CHECKS);
  const { maxConnections, keepAliveTimeout = KEEP_ALIVE, ...limits } = options;
  const cap = new ConnectionCap(maxConnections);
  class AppRequest extends IncomingMessage {}
  class AppResponse<
    Request extends IncomingMessage = IncomingMessage,
  > extends ServerResponse<Request> {
    constructor(...given: ConstructorParameters<typeof ServerResponse<Request>>) {
      super(...given);
      cap.began(this);
    }
  }
  app.request = standBefore(AppRequest.prototype, app.request);
  app.response = standBefore(AppResponse.prototype, app.response) as typeof app.response;
  const listener = app as RequestListener;
  const server = new ClosingServer(
    { ...limits, keepAliveTimeout, IncomingMessage: AppRequest, ServerResponse: AppResponse },
    (request, response) => answerGivenUp(request, response) || listener(request, response),
  );
  cap.watch(server);
  return server;
}

/**
 * Node's `close()` ends the connections that are idle then; those that become idle later would keep
 * it waiting.
 */
class ClosingServer extends Server {
  override close(done?: (error?: Error) => void): this {
    this.keepAliveTimeout = 1;
    return super.close(done);
  }
}

/** Makes a class's prototype inherit from the app's, and returns it. */
function standBefore<Prototype extends object>(own: object, prototype: Prototype): Prototype {
  return Object.setPrototypeOf(own, prototype);
}
