import type { IncomingMessage } from "node:http";
import { ConfigurationError } from "../errors.ts";
import { Deadlines } from "./deadlines.ts";

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
 * Reads a request's raw bytes, counting as they come, so that no more than the limit is ever held.
 *
 * @throws ConfigurationError `body_already_parsed` where somebody else has read some of it: its end would never come
 */
export function readBody(request: IncomingMessage, { limit, timeout }: BodyLimits): Promise<BodyResult> {
  if (request.readableDidRead || request.readableEnded) throw alreadyRead();
  if (request.destroyed) return Promise.resolve("aborted");
  if (announcedLength(request) > limit) return Promise.resolve("too_large");
  const deadlines = deadlinesOf(timeout);
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    let over = false;
    const fail = (why: "too_large" | "too_slow" | "aborted") => {
      if (over) return;
      over = true;
      deadlines.callOff(tooSlow);
      request.off("data", onData).off("end", onEnd).pause(); // whatever still comes is not ours
      resolve(why);
    };
    const onData = (chunk: Uint8Array) => {
      length += chunk.byteLength;
      if (length > limit) fail("too_large");
      else chunks.push(chunk);
    };
    const onEnd = () => {
      over = true;
      deadlines.callOff(tooSlow);
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, length));
    };
    const onAbort = () => fail("aborted"); // stays: a reset after we are done must not become an uncaught error
    const tooSlow = () => fail("too_slow");
    deadlines.add(tooSlow);
    request.on("data", onData).on("end", onEnd).on("error", onAbort).on("close", onAbort);
  });
}

/** The deadlines of each length that is in use: a process has few. */
const ALL_DEADLINES = new Map<number, Deadlines>();

function deadlinesOf(ms: number): Deadlines {
  const known = ALL_DEADLINES.get(ms);
  if (known !== undefined) return known;
  const deadlines = new Deadlines(ms);
  ALL_DEADLINES.set(ms, deadlines);
  return deadlines;
}

/** The integrator's mistake that something upstream has read, or parsed, the body. */
export function alreadyRead(): ConfigurationError {
  return new ConfigurationError(
    "body_already_parsed",
    "expected the raw body, got one that was already read or parsed, so its signature cannot be checked: " +
      "mount the receiver before express.json() and other body parsers",
  );
}
