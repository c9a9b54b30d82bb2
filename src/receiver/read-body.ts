import type { IncomingMessage } from "node:http";
import { ConfigurationError } from "../errors.ts";

/** A body, or why there is none. */
export type BodyResult = Uint8Array | "too_large" | "too_slow" | "aborted";

/** Limits while reading. */
export interface BodyLimits {
  /** Bytes. */
  readonly limit: number;
  /** Milliseconds for the whole body. */
  readonly timeout: number;
}

/** How many bytes a request says its body has; 0 where it does not say. */
export function announcedLength(request: IncomingMessage): number {
  return Number(request.headers["content-length"] ?? 0);
}

/**
 * Reads a request's raw bytes, counting as they come, so that no more than the limit is ever held. Takes its listeners
 * off again.
 *
 * @throws ConfigurationError `body_already_parsed` where somebody else has read some of it: its end would never come
 */
export async function readBody(
  request: IncomingMessage,
  { limit, timeout }: BodyLimits,
): Promise<BodyResult> {
  if (request.readableDidRead || request.readableEnded) throw alreadyRead();
  if (request.destroyed) return "aborted";
  if (announcedLength(request) > limit) return "too_large";
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    const end = (result: BodyResult) => {
      clearTimeout(timer);
      request.off("data", onData).off("end", onEnd).off("error", onAbort).off("close", onAbort);
      if (typeof result === "string") request.pause();
      resolve(result);
    };
    const onData = (chunk: Uint8Array) => {
      length += chunk.byteLength;
      if (length > limit) end("too_large");
      else chunks.push(chunk);
    };
    const onEnd = () => end(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, length));
    const onAbort = () => end("aborted");
    const timer = setTimeout(() => end("too_slow"), timeout);
    request.on("data", onData).on("end", onEnd).on("error", onAbort).on("close", onAbort);
    request.on("error", () => {}); // a reset after we are done must not become an uncaught error
  });
}

/** The integrator's mistake that something upstream has read, or parsed, the body. */
export function alreadyRead(): ConfigurationError {
  return new ConfigurationError(
    "body_already_parsed",
    "expected the raw body, got one that was already read or parsed, so its signature cannot be checked: " +
      "mount the receiver before express.json() and other body parsers",
  );
}
