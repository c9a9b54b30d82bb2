import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { LambdaHandler } from "../../src/entries/lambda.ts";
import type { ToEvent } from "./lambda-events.ts";

/**
 * A gateway in front of a Lambda function: receives whole requests, and passes events and answers
 * as JSON.
 */
export function gateway(handler: LambdaHandler, toEvent: ToEvent): RequestListener {
  return (request, response) => {
    void invoke(handler, toEvent, request, response).catch((error) => response.destroy(error));
  };
}

async function invoke(
  handler: LambdaHandler,
  toEvent: ToEvent,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method = "", url = "", headersDistinct } = request;
  const event = toEvent({
    method,
    target: url,
    headers: headersDistinct,
    body: Buffer.concat(chunks),
  });
  const answer = asJson(await handler(asJson(event)));
  const body = Buffer.from(answer.body, answer.isBase64Encoded ? "base64" : "utf8");
  response.writeHead(answer.statusCode, {
    ...answer.headers,
    ...answer.multiValueHeaders,
    "Content-Length": body.length,
  });
  response.end(body);
}

function asJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value));
}
