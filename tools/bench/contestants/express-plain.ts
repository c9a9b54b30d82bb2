import { createServer } from "node:http";
import express from "express";
import { checkAndParse } from "./check.ts";
import { type Contestant, onLoopback } from "./contestant.ts";

/**
 * Express as people use it: `express.raw`, HMAC, `JSON.parse`. No validation, no dedup, no store.
 */
export const expressPlain: Contestant = {
  dialect: "service",
  start: () => {
    const app = express();
    app.post("/webhooks", express.raw({ type: "*/*", limit: "1mb" }), (request, response) => {
      const event = checkAndParse(request.body, request.headers["x-service-signature"]);
      if (event === undefined) response.status(401).json({ error: "signature" });
      else response.status(200).json({ received: true });
    });
    return onLoopback(createServer(app));
  },
};
