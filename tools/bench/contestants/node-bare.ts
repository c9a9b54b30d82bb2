import { createServer } from "node:http";
import { checkAndParse } from "./check.ts";
import { type Contestant, onLoopback } from "./contestant.ts";

/** `node:http` alone: HMAC and `JSON.parse`. No validation, no dedup, no store. */
export const nodeBare: Contestant = {
  dialect: "service",
  start: () =>
    onLoopback(
      createServer((request, response) => {
        const chunks: Buffer[] = [];
        request.on("data", (chunk) => chunks.push(chunk));
        request.on("end", () => {
          const event = checkAndParse(
            Buffer.concat(chunks),
            request.headers["x-service-signature"],
          );
          const text = event === undefined ? '{"error":"signature"}' : '{"received":true}';
          response.writeHead(event === undefined ? 401 : 200, {
            "Content-Type": "application/json",
            "Content-Length": text.length,
          });
          response.end(text);
        });
      }),
    ),
};
