import { type Answer, failure, RETRY_AFTER } from "../http/answer.ts";
import { hasEnded } from "../inbox/entry-state.ts";
import type { Inline } from "../receiver/incoming.ts";
import type { Accepted } from "../receiver/outcome.ts";
import type { Receiver } from "../receiver/receiver.ts";
import type { Cut } from "./exchange.ts";
import type { ForwardOptions } from "./forward.ts";
import { HOP_BY_HOP, namedBy } from "./hop-by-hop.ts";
import { isOverdue, type TargetAnswer } from "./send.ts";

/** How many bytes of a target's answer are passed on. */
export const MAX_PASSED_ON = 10 * 1024 * 1024;

/** Milliseconds beyond the forward's time-out, to store its result. */
const SLACK = 5000;

type End = { readonly answer: TargetAnswer } | { readonly thrown: unknown };

/**
 * Forwards each event while its sender waits, and returns the target's answer to the sender. The
 * event is in the inbox before it is forwarded. Until the target has answered 2xx it is retried, on
 * schedule and whenever the sender retries.
 */
export function syncForward(timeout: number) {
  const waiting = new Map<number, Set<(end: End) => void>>();
  const report = (seq: number, end: End) => {
    for (const listener of waiting.get(seq) ?? []) listener(end);
  };
  const answer = async ({ seq, entryState }: Accepted, receiver: Pick<Receiver, "runNow">) => {
    if (hasEnded(entryState)) return undefined; // the entry has ended, so the usual answer applies
    const ends: End[] = [];
    const listener = (end: End) => void ends.push(end);
    const others = waiting.get(seq) ?? new Set();
    waiting.set(seq, others.add(listener));
    try {
      const ran = await receiver.runNow(seq);
      const [end] = ends;
      if (end !== undefined) return toSender(end);
      return ran === undefined || !hasEnded(ran.state) ? comeAgain() : undefined;
    } catch {
      return comeAgain(); // the store failed, but contains the event, which will be retried
    } finally {
      others.delete(listener);
      if (others.size === 0) waiting.delete(seq);
    }
  };
  /**
   * The options of the single forward whose answers are passed on. The sender waits for the whole
   * body.
   */
  const forwardOptions: ForwardOptions = {
    timeout,
    bodyTimeout: timeout,
    maxAnswer: MAX_PASSED_ON,
    onAnswer: (seq, answer) => report(seq, { answer }),
    onFailure: (seq, thrown) => report(seq, { thrown }),
  };
  /** Wraps the receiver for senders. */
  const over = (receiver: Pick<Receiver, "receive" | "runNow">): Pick<Receiver, "receive"> => {
    const inline: Inline = {
      hold: timeout + SLACK,
      answer: (accepted) => answer(accepted, receiver),
    };
    return { receive: (incoming) => receiver.receive(incoming, inline) };
  };
  return { forwardOptions, over };
}

/**
 * The sender's answer. Problems of this machine belong in the log and the live view; senders do not
 * see them.
 */
function toSender(end: End): Answer {
  if ("thrown" in end) {
    return isOverdue(end.thrown)
      ? failure(
          504,
          "gateway_timeout",
          "The delivery was kept, but the target did not answer in time.",
        )
      : failure(502, "bad_gateway", "The delivery was kept, but the target could not be reached.");
  }
  const { status, bytes, cut, headers } = end.answer;
  if (cut !== undefined) return incomplete(cut);
  const bodiless = status === 204 || status === 304;
  const length = bodiless ? {} : { "content-length": String(bytes.byteLength) };
  return { status, headers: { ...passedBack(headers), ...length }, body: bytes };
}

/**
 * A part of an answer is not passed on. If its status was 2xx, the event is done, and the sender's
 * retry is a duplicate.
 */
function incomplete(cut: Cut): Answer {
  if (cut === "overdue") {
    const message = "The delivery was kept, but the target's answer was not complete in time.";
    return failure(504, "gateway_timeout", message);
  }
  const why = cut === "closed" ? "was cut off" : "is too long to pass on";
  return failure(502, "bad_gateway", `The delivery was kept, but the target's answer ${why}.`);
}

function comeAgain(): Answer {
  const message = "The delivery was kept, but cannot be forwarded right now; it will be retried.";
  return failure(503, "unavailable", message, { "Retry-After": RETRY_AFTER });
}

/**
 * The target's headers without those of its connection, both the known ones and those that it
 * names.
 */
function passedBack(headers: TargetAnswer["headers"]): Answer["headers"] {
  const dropped = new Set([...HOP_BY_HOP, "content-length", ...namedBy(headers.connection)]);
  const kept = Object.entries(headers).filter(([name]) => !dropped.has(name));
  return Object.fromEntries(
    kept.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
