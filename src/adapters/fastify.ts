import type { FastifyPluginAsync } from "fastify";
import { DEFAULT_PATH } from "../http/default-endpoint.ts";
import type { Receiver } from "../receiver/receiver.ts";
import { checkAdapter } from "./check-adapter.ts";
import { exchange } from "./http-exchange.ts";

/** Options of {@link fastifyReceiver}. */
export interface FastifyReceiverOptions {
  /**
   * The endpoint's path below the plugin's prefix, compared exactly. One closing slash more or less
   * is the same endpoint, and any query is accepted. Default `/webhooks`.
   */
  readonly path?: string | undefined;
}

/**
 * Wraps a receiver as a Fastify 5 plugin: `app.register(fastifyReceiver(receiver))`. The receiver
 * reads the body from the connection itself, under its own limits, so the app's content type
 * parsers, `bodyLimit` and error handlers do not see it; its `onRequest` hooks do. The rest of the
 * app is not affected.
 *
 * @throws ConfigurationError `option_invalid`, also for a path without a slash at its start, or
 * with a query
 *
 * @example
 * ```ts
 * import fastify from "fastify";
 * import { createReceiver } from "hookporter";
 * import { fastifyReceiver } from "hookporter/fastify";
 *
 * const receiver = createReceiver({ secret: process.env.HOOKPORTER_SECRET });
 * const app = fastify();
 * app.addHook("onReady", () => receiver.start());
 * app.addHook("onClose", () => receiver.close());
 * app.register(fastifyReceiver(receiver, { path: "/webhooks" }));
 * await app.listen({ port: 3000, host: "127.0.0.1" });
 * ```
 */
export function fastifyReceiver(
  receiver: Pick<Receiver, "receive">,
  options: FastifyReceiverOptions = {},
): FastifyPluginAsync {
  checkAdapter(receiver, options, "fastifyReceiver");
  const { path = DEFAULT_PATH } = options;
  return async (app) => {
    const endpoint = app.prefix + path;
    const bare = path.replace(/(?<=[^/])\/$/, "");
    const { ignoreTrailingSlash, routerOptions } = app.initialConfig;
    const isOne =
      bare === "/" || (routerOptions?.ignoreTrailingSlash ?? ignoreTrailingSlash) === true;
    for (const url of isOne ? [bare] : [bare, `${bare}/`]) {
      app.all(url, {
        // Before the body is parsed: its bytes must stay as they are, whatever content type they
        // have.
        onRequest: async ({ raw: request }, reply) => {
          reply.hijack();
          await exchange(receiver, request, reply.raw, {
            target: request.url ?? "",
            path: endpoint,
          });
        },
        handler: () => undefined, // never called
      });
    }
  };
}
