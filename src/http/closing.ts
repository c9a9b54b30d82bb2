import type { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { Deadlines } from "./deadlines.ts";

/**
 * Milliseconds that requests in progress get when a server closes; an idle connection would never
 * end.
 */
export const CLOSE_GRACE = 2000;

/** Milliseconds, and bytes, that a sender may still send before its connection is closed. */
const LINGER = 500;
const LINGER_BYTES = 8 * 1024 * 1024;
/** Milliseconds a sender has to read the answer before its connection is destroyed. */
const UNREAD = new Deadlines(1000);

/**
 * The connection of a request over HTTP/1; later versions share one between requests. Only Node's
 * own class counts, which all realms share: frameworks for tests and serverless functions pass
 * something that looks like a socket, but lacks methods.
 */
export function connectionOf(request: IncomingMessage | undefined): Socket | undefined {
  if (request?.httpVersionMajor !== 1) return undefined;
  return request.socket instanceof Socket ? request.socket : undefined;
}

/**
 * Briefly reads and discards what the sender still sends. If the connection were closed at once, it
 * would be reset while the sender writes, and the sender would never read the answer.
 */
export function lingering(request: IncomingMessage | undefined): Promise<void> {
  if (request === undefined || !mayReceive(request)) return Promise.resolve();
  return new Promise((resolve) => {
    let left = LINGER_BYTES;
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(end, LINGER);
    request.on("data", (chunk: Uint8Array) => {
      left -= chunk.byteLength;
      if (left < 0) end();
    });
    request.once("end", end).once("close", end).resume();
  });
}

/** Whether more of a request may arrive. What only stands in for one may not even be a stream. */
function mayReceive(request: IncomingMessage): boolean {
  if (request.complete || request.destroyed || request.readableEnded) return false;
  return typeof request.resume === "function";
}

/**
 * Destroys the connection if the sender does not read the final answer, after those to earlier
 * requests.
 */
export function closeUnread(request: IncomingMessage | undefined, response: ServerResponse): void {
  const socket = connectionOf(request);
  if (socket === undefined) return;
  const look = () => {
    if (socket.destroyed) return;
    const isInTurn = response.socket !== null || response.writableFinished;
    if (isInTurn || socket.writableLength > 0) socket.destroy();
    else UNREAD.add(look);
  };
  UNREAD.add(look);
}
