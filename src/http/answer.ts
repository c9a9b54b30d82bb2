import {
  type IncomingMessage,
  type OutgoingHttpHeaders,
  OutgoingMessage,
  type ServerResponse,
} from "node:http";
import { describeError } from "../base/errors.ts";
import { OnceAMinute } from "../base/once-a-minute.ts";
import { printWarning } from "../base/print-warning.ts";
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

export function json(
  status: number,
  value: object,
  headers?: Readonly<Record<string, string>>,
): Answer {
  const body = JSON.stringify(value);
  const own = {
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(body)),
  };
  return { status, headers: headers === undefined ? own : { ...own, ...headers }, body };
}

/**
 * Writes an answer, unless the connection is closed. Returns a promise, which never rejects, only
 * if it closes the connection.
 *
 * @param request - as the framework passed it, since the one that a response knows may be none, or
 * another object
 */
export function writeAnswer(
  response: ServerResponse,
  { status, headers, body }: Answer,
  request: IncomingMessage | undefined = response.req,
): Promise<void> | undefined {
  if (response.headersSent || response.destroyed) return undefined;
  try {
    if (Object.hasOwn(response, "end")) setHead(response, status, headers);
    else response.writeHead(status, headers as OutgoingHttpHeaders);
    if (request?.method === "HEAD") response.end();
    else if (headers.Connection === "close") return endLingering(request, response, body);
    else response.end(body); // a string is sent in one write with the head
  } catch (thrown) {
    giveUp(response, thrown);
  }
  return undefined;
}

/** For a response whose `end` is middleware's, which may set a header when it is called. */
function setHead(response: ServerResponse, status: number, headers: Answer["headers"]): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

/** Writes the body, and ends the connection once the sender can have read it. */
async function endLingering(
  request: IncomingMessage | undefined,
  response: ServerResponse,
  body: Answer["body"],
): Promise<void> {
  try {
    response.write(body);
    await lingering(request);
    response.end();
    closeUnread(request, response);
  } catch (thrown) {
    giveUp(response, thrown);
  }
}

const WARNINGS = new OnceAMinute<"unwritten">();

/**
 * Ends a response that cannot be written, and prints why: no logger is told of it. Never throws.
 */
export function giveUp(response: ServerResponse, thrown: unknown): void {
  const error = new Error(`the answer could not be written: ${describeError(thrown)}`);
  if (WARNINGS.leftOut("unwritten", performance.now()) !== undefined) printWarning(error.message);
  try {
    // Nobody may listen for the error of a stand-in for Node's response, and it would end the
    // process.
    if (response instanceof OutgoingMessage) response.destroy(error);
    else (response as ServerResponse).destroy();
  } catch {} // nothing is left to try
}
