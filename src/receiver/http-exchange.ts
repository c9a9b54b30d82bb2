import type { IncomingMessage, ServerResponse } from "node:http";
import { answerGivenUp, writeAnswer } from "../http/answer.ts";
import {
  alreadyRead,
  type BodyLimits,
  type BodyResult,
  type CountedLimits,
  readBody,
} from "../http/read-body.ts";
import { countRefused } from "../http/refused-streak.ts";
import type { Receiver } from "./receiver.ts";

/** The answers to requests that prove nothing. */
const UNPROVEN: readonly number[] = [401, 404, 405];

/** What an adapter knows of the endpoint. */
export interface Endpoint {
  /** The raw request target. */
  readonly target: string;
  /** The one target that is the endpoint. */
  readonly path: string;
  /** Called just before the body is read, with what may be read. */
  readonly beforeBody?: (limits: BodyLimits) => void;
}

/** Takes one request of Node's through a receiver and writes the answer: what all adapters share. */
export async function exchange(
  receiver: Pick<Receiver, "receive">,
  request: IncomingMessage,
  response: ServerResponse,
  { target, path, beforeBody }: Endpoint,
): Promise<void> {
  if (answerGivenUp(response)) return;
  const { method = "", headers } = request;
  const read = (limits: CountedLimits) => {
    beforeBody?.(limits);
    return readUnparsed(request, limits);
  };
  const answer = await receiver.receive({ method, headers, target, path, read });
  await writeAnswer(response, answer);
  if (UNPROVEN.includes(answer.status)) countRefused(response);
}

/**
 * The raw bytes: from the stream, or from a parser such as `express.raw()`, which leaves them as they came. A body that
 * was read in any other way is refused at once: its stream would never end again.
 */
function readUnparsed(
  request: IncomingMessage & { body?: unknown },
  limits: CountedLimits,
): Promise<BodyResult> {
  const { body } = request;
  if (body === undefined) return readBody(request, limits);
  if (!Buffer.isBuffer(body)) throw alreadyRead();
  return Promise.resolve(body.byteLength > limits.limit ? "too_large" : body);
}
