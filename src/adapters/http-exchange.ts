import type { IncomingMessage, ServerResponse } from "node:http";
import { setImmediate } from "node:timers/promises";
import { types } from "node:util";
import { ConfigurationError } from "../base/errors.ts";
import { detach } from "../base/try-or.ts";
import { type Answer, giveUp, writeAnswer } from "../http/answer.ts";
import { lingering } from "../http/closing.ts";
import {
  alreadyRead,
  type BodyLimits,
  type BodyResult,
  type CountedLimits,
  MOUNT_FIRST,
  readBody,
} from "../http/read-body.ts";
import { answerGivenUp, countRefused } from "../http/refused-streak.ts";
import type { Receiver } from "../receiver/receiver.ts";

/** Statuses of answers to unauthenticated requests. */
const UNPROVEN: readonly number[] = [401, 404, 405];

export interface Endpoint {
  /** The raw request target. */
  readonly target: string;
  readonly path: string;
  /** Called just before the body is read, with its limits. */
  readonly beforeBody?: (limits: BodyLimits) => void;
}

/**
 * Passes a Node request to a receiver and writes the answer; never rejects. Shared by all adapters.
 */
export async function exchange(
  receiver: Pick<Receiver, "receive">,
  request: IncomingMessage,
  response: ServerResponse,
  { target, path, beforeBody }: Endpoint,
): Promise<void> {
  try {
    if (answerGivenUp(request, response)) return;
    const { method = "", headers } = request;
    let isRead = false;
    const read = (limits: CountedLimits) => {
      isRead = true;
      beforeBody?.(limits);
      return readUnparsed(request, limits);
    };
    const remoteAddress = request.socket?.remoteAddress;
    const answer = await receiver.receive({ method, headers, target, path, read, remoteAddress });
    const isUnread = answer.status === 401 && !isRead;
    // A sender that asks first does not send its body after this answer.
    const isLast = isUnread && headers.expect !== undefined;
    const closing = writeAnswer(response, isLast ? thenClose(answer) : answer, request);
    if (isUnread && request.complete === false) void closeUnlessComplete(request);
    if (closing !== undefined) await closing;
    if (UNPROVEN.includes(answer.status)) countRefused(request, response);
  } catch (thrown) {
    giveUp(response, thrown);
  }
}

/**
 * Closes the connection of a request whose body is not read, unless the rest of it arrives soon.
 */
async function closeUnlessComplete(request: IncomingMessage): Promise<void> {
  await setImmediate(); // by then, a body in the same packet as the head has arrived
  await lingering(request);
  // a stand-in for Node's request may have no such method
  if (!request.complete) request.destroy?.();
}

function thenClose(answer: Answer): Answer {
  return { ...answer, headers: { ...answer.headers, Connection: "close" } };
}

/** Reports a request that the rest of an app answered with 404. Writes nothing. */
export function reportPassedOn(
  receiver: Pick<Receiver, "receive">,
  { method = "", headers }: IncomingMessage,
  { target, path }: Endpoint,
): void {
  // never called: the target is not the endpoint
  const read = () => Promise.resolve("aborted" as const);
  detach(receiver.receive({ method, headers, target, path, read, passedOn: true }));
}

/**
 * The raw bytes: from the stream; or from a parser such as `express.raw()`, which leaves them as
 * they came; or, if the body was parsed, from `rawBody`, where platforms and `verify` of
 * `express.json()` put them. They are only bytes until their signature is checked. A body that was
 * read in any other way is refused at once: its stream would never end again.
 */
export function readUnparsed(
  request: IncomingMessage & { body?: unknown; rawBody?: unknown },
  limits: CountedLimits,
): Promise<BodyResult> {
  let body: unknown;
  try {
    ({ body } = request);
  } catch {
    body = null; // a getter that parses it, and cannot
  }
  if (body === undefined) return readBody(request, limits);
  const { rawBody } = request;
  const bytes = [body, rawBody].find((candidate) => types.isUint8Array(candidate));
  if (bytes !== undefined)
    return Promise.resolve(bytes.byteLength > limits.limit ? "too_large" : bytes);
  // Parsers that leave a body alone, since its type is not theirs, set an empty one all the same.
  if (request.readableDidRead === false && !request.readableEnded) return readBody(request, limits);
  if (typeof rawBody === "string") throw textInstead();
  throw alreadyRead(KEEP_BYTES);
}

/** What to do about a body that was parsed, in an app whose parsers must stay. */
const KEEP_BYTES = `${MOUNT_FIRST}, or keep its bytes: \`rawBody: true\` in NestJS, \`bodyParser: false\` in Next.js, NODEJS_HELPERS=0 on Vercel`;

function textInstead(): ConfigurationError {
  return new ConfigurationError(
    "body_already_parsed",
    "expected rawBody to be bytes, got text, which may differ from what was signed: keep the Buffer as it is, without toString(); for a plugin such as fastify-raw-body, set `encoding: false`",
  );
}
