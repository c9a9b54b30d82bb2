import createFastify from "fastify";
import { checkAndParse } from "./check.ts";
import type { Contestant } from "./contestant.ts";

/** Fastify with its body kept raw: HMAC and `JSON.parse`. No validation, no dedup, no store. */
export const fastify: Contestant = {
  dialect: "service",
  start: async () => {
    const app = createFastify();
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("*", { parseAs: "buffer" }, (_, body, done) => done(null, body));
    app.post("/webhooks", async (request, reply) => {
      const event = checkAndParse(request.body as Buffer, request.headers["x-service-signature"]);
      return event === undefined
        ? reply.code(401).send({ error: "signature" })
        : { received: true };
    });
    const address = await app.listen({ port: 0, host: "127.0.0.1" });
    return { port: Number(new URL(address).port), close: () => app.close() };
  },
};
