import type { IncomingMessage } from "node:http";
import type { RequestHandler } from "express";
import { ConfigurationError } from "../errors.ts";
import { exchange } from "./http-exchange.ts";
import { type BodyLimits, type BodyResult, readBody } from "./read-body.ts";
import type { Receiver } from "./receiver.ts";

/**
 * A receiver as an Express 5 handler: `app.use("/webhooks", expressReceiver(receiver))`, before any body parser.
 * The endpoint is exactly the path it is mounted at; what lies below it answers 404.
 */
export function expressReceiver(receiver: Pick<Receiver, "receive">): RequestHandler {
  return (request, response) => {
    // Express has matched the path by looser rules (case, slashes, host); the endpoint is one target only.
    const path = request.route === undefined ? request.baseUrl || "/" : request.baseUrl + request.path;
    const read = (limits: BodyLimits) => readUnparsed(request, limits);
    void exchange(receiver, request, response, { target: request.originalUrl, path, read });
  };
}

/** The raw bytes: from the stream, or from `express.raw()`, which leaves them as they came. */
async function readUnparsed(
  request: IncomingMessage & { body?: unknown },
  limits: BodyLimits,
): Promise<BodyResult> {
  const { body } = request;
  if (Buffer.isBuffer(body)) return body.byteLength > limits.limit ? "too_large" : body;
  if (body !== undefined || request.readableDidRead || request.readableEnded) {
    throw new ConfigurationError(
      "body_already_parsed",
      "expected the raw body, got one that was already read or parsed, so its signature cannot be checked: " +
        "mount expressReceiver(receiver) before express.json() and other body parsers",
    );
  }
  return readBody(request, limits);
}
