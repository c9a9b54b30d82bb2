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

/** Statuses of answers to unauthenticated requests. */
const UNPROVEN: readonly number[] = [401, 404, 405];

/** What an adapter knows about the endpoint. */
export interface Endpoint {
  /** The raw request target. */
  readonly target: string;
  /** The endpoint's target. */
  readonly path: string;
  /** Called just before the body is read, with its limits. */
  readonly beforeBody?: (limits: BodyLimits) => void;
}

/** Passes a Node request to a receiver and writes the answer. Shared by all adapters. */
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
 * Returns the raw bytes, from the stream or from a parser that leaves them unchanged, such as `express.raw()`. Throws if
 * the body was read in any other way, since its stream would never end again.
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
