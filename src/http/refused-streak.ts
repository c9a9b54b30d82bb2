import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { closeUnread } from "./closing.ts";

/** Requests that may be refused among those that came in one read of a connection. */
const MOST_REFUSED = 8;

/** The refused requests of a connection's latest read. */
interface Streak {
  /** Bytes the connection had sent by then: what comes while they are the same was sent ahead of the answers. */
  bytes: number;
  refused: number;
  /** The answer that is written last, once the rest is given up. */
  last: ServerResponse | undefined;
}

const STREAKS = new WeakMap<Socket, Streak>();

/**
 * Counts a request that proved nothing and was refused. If a connection sends many of them ahead of their answers, the
 * rest of what it sent is given up, and it is closed: 500 unsigned requests in one write are not worth 500 signatures,
 * nor 500 lines of a log. A sender that waits for its answers is not concerned.
 */
export function countRefused(response: ServerResponse): void {
  const { socket, httpVersionMajor } = response.req;
  if (httpVersionMajor !== 1) return; // other versions do not send requests one after another
  const { bytesRead } = socket;
  const known = STREAKS.get(socket);
  const streak = known ?? { bytes: bytesRead, refused: 0, last: undefined };
  if (known === undefined) STREAKS.set(socket, streak);
  if (streak.bytes !== bytesRead) streak.refused = 0;
  streak.bytes = bytesRead;
  streak.refused++;
  if (streak.refused < MOST_REFUSED || streak.last !== undefined) return;
  streak.last = response;
  setImmediate(() => closeAfter(streak.last ?? response, socket)); // what was read has its answers by then
}

/** Whether a request is among those that are given up. */
export function isGivenUp(response: ServerResponse): boolean {
  const streak = STREAKS.get(response.req.socket);
  if (streak?.last === undefined) return false;
  streak.last = response;
  return true;
}

function closeAfter(last: ServerResponse, socket: Socket): void {
  const close = () => socket.destroySoon();
  if (last.writableFinished) close();
  else last.once("finish", close);
  closeUnread(last);
}
