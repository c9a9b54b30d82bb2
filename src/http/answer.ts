import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { describeError } from "../errors.ts";
import { closeUnread, lingering } from "./closing.ts";

/** A response, not yet written by an adapter. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Uint8Array;
}

/** Seconds a sender is asked to wait before it retries. */
export const RETRY_AFTER = "5";

/** An error in the service's format. */
export function failure(
  status: number,
  type: string,
  message: string,
  headers?: Readonly<Record<string, string>>,
): Answer {
  return json(status, { error: { type, message } }, headers);
}

export function json(status: number, value: object, headers?: Readonly<Record<string, string>>): Answer {
  const body = JSON.stringify(value);
  const own = { "Content-Type": "application/json", "Content-Length": String(Buffer.byteLength(body)) };
  return { status, headers: headers === undefined ? own : { ...own, ...headers }, body };
}

/** Writes an answer, unless the connection is closed. Returns a promise only if it closes the connection. */
export function writeAnswer(response: ServerResponse, { status, headers, body }: Answer) {
  if (response.headersSent || response.destroyed) return undefined;
  try {
    response.writeHead(status, headers as OutgoingHttpHeaders);
    if (response.req.method === "HEAD") response.end();
    else if (headers.Connection === "close") return endLingering(response, body);
    else response.end(body); // a string is sent in one write with the head
  } catch (thrown) {
    giveUp(response, thrown);
  }
  return undefined;
}

/** Writes the body, and ends the connection once the sender can have read it. */
async function endLingering(response: ServerResponse, body: Answer["body"]): Promise<void> {
  try {
    response.write(body);
    await lingering(response.req);
    response.end();
    closeUnread(response);
  } catch (thrown) {
    giveUp(response, thrown);
  }
}

function giveUp(response: ServerResponse, thrown: unknown): void {
  response.destroy(new Error(`the answer could not be written: ${describeError(thrown)}`));
}
