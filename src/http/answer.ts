import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { describeError } from "../errors.ts";
import { closeUnread, lingering } from "./closing.ts";
import { isGivenUp } from "./refused-streak.ts";

/** An answer, before an adapter writes it. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Uint8Array;
}

/** Seconds a sender is asked to wait before it comes again. */
export const RETRY_AFTER = "5";

/** The answer to a request that is not looked at, since too many before it, sent ahead of their answers, were refused. */
export const GIVEN_UP = failure(503, "unavailable", "Too many requests before this one were refused.", {
  "Retry-After": RETRY_AFTER,
});

/** An error in the service's own shape. */
export function failure(
  status: number,
  type: string,
  message: string,
  headers?: Record<string, string>,
): Answer {
  return json(status, { error: { type, message } }, headers);
}

/** A JSON answer. */
export function json(status: number, value: object, headers: Record<string, string> = {}): Answer {
  const body = JSON.stringify(value);
  const length = String(Buffer.byteLength(body));
  return {
    status,
    headers: { "Content-Type": "application/json", "Content-Length": length, ...headers },
    body,
  };
}

/** Answers a request that is given up, at no cost; false if it is not. */
export function answerGivenUp(response: ServerResponse): boolean {
  if (!isGivenUp(response)) return false;
  void writeAnswer(response, GIVEN_UP);
  return true;
}

/** Writes an answer; nothing is written to a connection that is gone. */
export async function writeAnswer(
  response: ServerResponse,
  { status, headers, body }: Answer,
): Promise<void> {
  if (response.headersSent || response.destroyed) return;
  try {
    response.writeHead(status, headers as OutgoingHttpHeaders);
    if (response.req.method === "HEAD") response.end();
    else if (headers.Connection === "close") {
      response.write(body);
      await lingering(response.req);
      response.end();
      closeUnread(response);
    } else {
      response.end(body); // a text goes in one piece with the head
    }
  } catch (thrown) {
    response.destroy(new Error(`the answer could not be written: ${describeError(thrown)}`));
  }
}
