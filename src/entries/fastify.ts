/** `hookporter/fastify`: a receiver as a Fastify plugin. Re-exports only. */
export { type FastifyReceiverOptions, fastifyReceiver } from "../adapters/fastify.ts";
