import type { IncomingMessage } from "node:http";
import { ConfigurationError } from "../base/errors.ts";
import type { BodyBudget, HeldBody } from "./body-budget.ts";
import { BodyPieces } from "./body-pieces.ts";
import { Deadlines } from "./deadlines.ts";

/**
 * Why there is no body. `stalled`: it made the least progress, and was ended to make room for
 * others. `overloaded`: there was no room for it.
 */
export type BodyFailure = "too_large" | "too_slow" | "aborted" | "stalled" | "overloaded";

/** A body, or the reason why there is none. */
export type BodyResult = Uint8Array | BodyFailure;

/** Limits while reading. */
export interface BodyLimits {
  /** Bytes. */
  readonly limit: number;
  /** Milliseconds for the whole body. */
  readonly timeout: number;
}

/** The same for hookporter's own adapters, which share a budget. */
export interface CountedLimits extends BodyLimits {
  /** Counts the bytes of all bodies being read. Default: none, they are not counted. */
  readonly budget?: BodyBudget | undefined;
}

export function announcedLength(request: IncomingMessage): number {
  return Number(request.headers["content-length"] ?? 0);
}

/**
 * Reads a request's raw bytes and counts them as they arrive, so it never holds more than the
 * limit. They count towards the budget until the body is complete: the signature is checked in the
 * same turn of the event loop, before any other byte is received.
 *
 * @throws ConfigurationError `body_already_parsed` if other code has read part of the body: its end
 * would never arrive
 */
export function readBody(
  request: IncomingMessage,
  { limit, timeout, budget }: CountedLimits,
): Promise<BodyResult> {
  if (request.readableDidRead || request.readableEnded) throw alreadyRead();
  if (request.destroyed) return Promise.resolve("aborted");
  const announced = announcedLength(request);
  if (announced > limit) return Promise.resolve("too_large");
  const deadlines = ALL_DEADLINES.get(timeout) ?? newDeadlines(timeout);
  return new Promise((resolve) => {
    /** The complete body; not held beyond this turn. Nearly all bodies arrive in one piece. */
    let whole: Uint8Array | undefined;
    let pieces: BodyPieces | undefined;
    let held: HeldBody | undefined;
    let over = false;
    const finish = (result: BodyResult) => {
      over = true;
      deadlines.callOff(deadline);
      held?.release();
      pieces?.release();
      whole = pieces = undefined; // the remaining listeners would retain them
      resolve(result);
    };
    const fail = (why: BodyFailure) => {
      if (over) return;
      request.off("data", onData).off("end", onEnd).pause(); // the remaining bytes are not ours
      finish(why);
    };
    const onData = (chunk: Uint8Array) => {
      const length = (pieces?.length ?? 0) + chunk.byteLength;
      if (length > limit) return fail("too_large");
      if (length === announced) {
        whole = pieces?.join(chunk) ?? chunk;
        return;
      }
      pieces ??= new BodyPieces(budget?.blocks);
      pieces.add(chunk);
      held ??= budget?.open(() => fail("stalled"));
      if (held?.grow(chunk.byteLength, pieces.capacity) === false) fail("overloaded");
    };
    const onEnd = () => finish(whole ?? pieces?.join() ?? new Uint8Array(0));
    // never removed: a later reset must not become an uncaught error
    const onAbort = () => fail("aborted");
    const deadline = deadlines.add(() => fail("too_slow"));
    request.on("data", onData).on("end", onEnd).on("error", onAbort).on("close", onAbort);
  });
}

/** Deadlines by length; a process uses few different lengths. */
const ALL_DEADLINES = new Map<number, Deadlines>();

function newDeadlines(ms: number): Deadlines {
  const deadlines = new Deadlines(ms);
  ALL_DEADLINES.set(ms, deadlines);
  return deadlines;
}

/** What to do about a body that was read before, in an app with middleware. */
export const MOUNT_FIRST = "mount the receiver before express.json() and other body parsers";

/** The error for a body that was read or parsed upstream, a mistake of the integrator. */
export function alreadyRead(fix = MOUNT_FIRST): ConfigurationError {
  return new ConfigurationError(
    "body_already_parsed",
    `expected the raw body, got one that was already read or parsed, so its signature cannot be checked: ${fix}`,
  );
}
