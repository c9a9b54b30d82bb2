/** `hookporter/express`: a receiver as an Express handler. Re-exports only. */

export { type ExpressReceiverOptions, expressReceiver } from "../adapters/express.ts";
export { createWebhookServer, type ExpressServerOptions } from "../http/express-server.ts";
