/** `hookporter/express`: a receiver as an Express handler. Re-exports only. */
export { createWebhookServer, type ExpressServerOptions } from "../http/express-server.ts";
export { type ExpressReceiverOptions, expressReceiver } from "../receiver/adapters/express.ts";
