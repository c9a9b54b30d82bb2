import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setImmediate } from "node:timers";
import { failure, RETRY_AFTER, writeAnswer } from "./answer.ts";
import { closeUnread, connectionOf } from "./closing.ts";

/** Refused requests allowed among those that arrived in one read of a connection. */
export const MOST_REFUSED = 8;

/** The refused requests of a connection's latest read. */
interface Streak {
  /**
   * `bytesRead` of the socket; requests that arrive while it is unchanged were sent without waiting
   * for answers.
   */
  bytes: number;
  refused: number;
  /** The last answer to write; set once the remaining requests are skipped. */
  last: Exchanged | undefined;
}

interface Exchanged {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * The answer to a pipelined request that is skipped because too many requests before it were
 * refused.
 */
const GIVEN_UP = failure(503, "unavailable", "Too many requests before this one were refused.", {
  "Retry-After": RETRY_AFTER,
});

const STREAKS = new WeakMap<Socket, Streak>();

/**
 * Counts an unauthenticated request that was refused. If a connection pipelines many of them, the
 * rest are skipped and it is closed: 500 unsigned requests in one write should not cost 500
 * signature checks or 500 log lines. A sender that waits for its answers is not affected.
 */
export function countRefused(request: IncomingMessage, response: ServerResponse): void {
  const socket = connectionOf(request);
  // only a connection of HTTP/1 has requests that wait for each other
  if (socket === undefined) return;
  const { bytesRead } = socket;
  const known = STREAKS.get(socket);
  const streak = known ?? { bytes: bytesRead, refused: 0, last: undefined };
  if (known === undefined) STREAKS.set(socket, streak);
  if (streak.bytes !== bytesRead) streak.refused = 0;
  streak.bytes = bytesRead;
  streak.refused++;
  if (streak.refused < MOST_REFUSED || streak.last !== undefined) return;
  const latest = { request, response };
  streak.last = latest;
  // by then, all requests of this read are answered
  setImmediate(() => closeAfter(streak.last ?? latest, socket));
}

/**
 * Answers a request that is to be skipped with 503 and returns true; returns false for any other
 * request.
 */
export function answerGivenUp(request: IncomingMessage, response: ServerResponse): boolean {
  const streak = STREAKS.get(request.socket);
  if (streak?.last === undefined) return false;
  streak.last = { request, response };
  void writeAnswer(response, GIVEN_UP, request);
  return true;
}

function closeAfter({ request, response }: Exchanged, socket: Socket): void {
  const close = () => socket.destroySoon();
  if (response.writableFinished) close();
  else response.once("finish", close);
  closeUnread(request, response);
}
