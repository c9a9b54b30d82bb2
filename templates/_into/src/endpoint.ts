import { expressReceiver } from "hookporter/express";
import { receiver } from "./receiver.ts";

export { startReceiver } from "./receiver.ts";

let endpoint: ReturnType<typeof expressReceiver> | undefined;

/**
 * The endpoint: mount it before anything that reads bodies, such as express.json(). The signature
 * covers the raw bytes.
 */
export const webhooks: ReturnType<typeof expressReceiver> = (request, response, next) => {
  // not before the first request: tests of the app may have no secret
  endpoint ??= expressReceiver(receiver());
  endpoint(request, response, next);
};
