import type { IncomingMessage } from "node:http";
import { ConfigurationError } from "../errors.ts";
import type { BodyBudget, HeldBody } from "./body-budget.ts";
import { BodyPieces } from "./body-pieces.ts";
import { Deadlines } from "./deadlines.ts";

/**
 * Why there is no body. `stalled`: it was ended to make room for others, since it made the least progress. `overloaded`:
 * there was no room for it.
 */
export type BodyFailure = "too_large" | "too_slow" | "aborted" | "stalled" | "overloaded";

/** A body, or why there is none. */
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
  /** Counts the bytes of all bodies that are being read. Default: they are not counted. */
  readonly budget?: BodyBudget | undefined;
}

/** How many bytes a request says its body has; 0 where it does not say. */
export function announcedLength(request: IncomingMessage): number {
  return Number(request.headers["content-length"] ?? 0);
}

/**
 * Reads a request's raw bytes, counting as they come, so that no more than the limit is ever held. They are counted in
 * the budget until the last of them is there: the signature is checked in the same turn of the event loop, before any
 * other byte is received.
 *
 * @throws ConfigurationError `body_already_parsed` where somebody else has read some of it: its end would never come
 */
export function readBody(
  request: IncomingMessage,
  { limit, timeout, budget }: CountedLimits,
): Promise<BodyResult> {
  if (request.readableDidRead || request.readableEnded) throw alreadyRead();
  if (request.destroyed) return Promise.resolve("aborted");
  const announced = announcedLength(request);
  if (announced > limit) return Promise.resolve("too_large");
  const deadlines = deadlinesOf(timeout);
  return new Promise((resolve) => {
    /** The body, once its last byte is there: it is not held beyond this turn. Nearly all come in one piece. */
    let whole: Uint8Array | undefined;
    let pieces: BodyPieces | undefined;
    let held: HeldBody | undefined;
    let over = false;
    const finish = (result: BodyResult) => {
      over = true;
      deadlines.callOff(tooSlow);
      held?.release();
      pieces?.release();
      whole = pieces = undefined; // the listeners that stay would keep them
      resolve(result);
    };
    const fail = (why: BodyFailure) => {
      if (over) return;
      request.off("data", onData).off("end", onEnd).pause(); // whatever still comes is not ours
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
      held ??= budget?.open(announced, () => fail("stalled"));
      if (held?.grow(chunk.byteLength, pieces.capacity) === false) fail("overloaded");
    };
    const onEnd = () => finish(whole ?? pieces?.join() ?? new Uint8Array(0));
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
