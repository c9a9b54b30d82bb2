import type { IncomingMessage, ServerResponse } from "node:http";
import { Deadlines } from "./deadlines.ts";

/** Milliseconds, and bytes, that a connection which is to be closed may still send. */
const LINGER = 500;
const LINGER_BYTES = 8 * 1024 * 1024;

/** Milliseconds that a sender has to take the answer that closes its connection. */
const UNREAD = new Deadlines(1000);

/**
 * Takes what a sender still sends, for a moment, and throws it away: if its connection were closed at once, it would be
 * reset while it sends, and would never read the answer.
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

/**
 * Ends a connection whose sender does not read the answer that closes it: nothing else ever would. Answers that come
 * before it, and are still being made, are waited for.
 */
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
