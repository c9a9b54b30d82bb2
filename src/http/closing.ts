import type { IncomingMessage, ServerResponse } from "node:http";
import { Deadlines } from "./deadlines.ts";

/** Milliseconds that requests in progress get when a server closes; an idle connection would never end. */
export const CLOSE_GRACE = 2000;

/** Milliseconds, and bytes, that a sender may still send before its connection is closed. */
const LINGER = 500;
const LINGER_BYTES = 8 * 1024 * 1024;
/** Milliseconds a sender has to read the answer before its connection is destroyed. */
const UNREAD = new Deadlines(1000);

/**
 * Briefly reads and discards what the sender still sends. If the connection were closed at once, it would be reset while
 * the sender writes, and the sender would never read the answer.
 */
export function lingering(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return Promise.resolve();
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

/** Destroys the connection if the sender does not read the final answer, after those to earlier requests. */
export function closeUnread(response: ServerResponse): void {
  const { socket, httpVersionMajor } = response.req;
  if (httpVersionMajor !== 1) return;
  const look = () => {
    if (socket.destroyed) return;
    const isInTurn = response.socket !== null || response.writableFinished;
    if (isInTurn || socket.writableLength > 0) socket.destroy();
    else UNREAD.add(look);
  };
  UNREAD.add(look);
}
