import {
  createServer as createNodeServer,
  IncomingMessage,
  type RequestListener,
  type Server,
  ServerResponse,
} from "node:http";
import type { Express } from "express";
import { answerGivenUp } from "./answer.ts";
import { ConnectionCap } from "./connection-cap.ts";

/** Limits of the server. Times are in milliseconds, as in Node. */
export interface ExpressServerOptions {
  /** Time for the head of a request. Default 60 000. */
  readonly headersTimeout?: number;
  /** Time for a whole request. Default 300 000. */
  readonly requestTimeout?: number;
  /** Interval at which those two are checked. Default 30 000. */
  readonly connectionsCheckingInterval?: number;
  /**
   * The most connections; `Infinity` for no limit. A new one beyond it ends the one that has been idle longest, or else one
   * whose request makes no progress. Each is an open file, so keep it below `ulimit -n`. Default 4096.
   */
  readonly maxConnections?: number;
}

/**
 * Creates an HTTP server for an Express app, in place of `app.listen()`: the same, but faster and with a limit on
 * connections. Express sets the app's prototypes on every request and response; on Node 20 and 22 this costs more than the
 * rest of a small request. Here they are created with them. Call it once per app, after its settings and before the first
 * request.
 *
 * @throws ConfigurationError `option_invalid`
 */
export function createServer(app: Express, { maxConnections, ...limits }: ExpressServerOptions = {}): Server {
  const cap = new ConnectionCap(maxConnections);
  class AppRequest extends IncomingMessage {}
  class AppResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
    constructor(...given: ConstructorParameters<typeof ServerResponse<Request>>) {
      super(...given);
      cap.began(this);
    }
  }
  app.request = standBefore(AppRequest.prototype, app.request);
  app.response = standBefore(AppResponse.prototype, app.response) as typeof app.response;
  const listener = app as RequestListener;
  const server = createNodeServer(
    { ...limits, IncomingMessage: AppRequest, ServerResponse: AppResponse },
    (request, response) => answerGivenUp(response) || listener(request, response),
  );
  cap.watch(server);
  return server;
}

/** Makes a class's prototype inherit from the app's, and returns it. */
function standBefore<Prototype extends object>(own: object, prototype: Prototype): Prototype {
  return Object.setPrototypeOf(own, prototype);
}
