import type { IncomingMessage, ServerResponse } from "node:http";
import { describeError } from "../errors.ts";
import { type BodyLimits, type BodyResult, readBody } from "./read-body.ts";
import type { Receiver } from "./receiver.ts";
import type { Answer } from "./response.ts";

/** Takes one request of Node's through a receiver and writes the answer: what both adapters share. */
export async function exchange(
  receiver: Pick<Receiver, "receive">,
  request: IncomingMessage,
  response: ServerResponse,
  endpoint: { target: string; path: string; read?: (limits: BodyLimits) => Promise<BodyResult> },
): Promise<void> {
  const { method = "", headers } = request;
  const read = endpoint.read ?? ((limits: BodyLimits) => readBody(request, limits));
  const answer = await receiver.receive({ method, headers, ...endpoint, read });
  try {
    writeAnswer(response, answer);
  } catch (thrown) {
    response.destroy(new Error(`the answer could not be written: ${describeError(thrown)}`));
  }
}

/** Writes an answer; nothing is written to a connection that is gone. */
export function writeAnswer(response: ServerResponse, { status, headers, body }: Answer): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, headers);
  response.end(response.req.method === "HEAD" ? undefined : body);
}
