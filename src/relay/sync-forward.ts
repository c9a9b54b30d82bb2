import type { Inline } from "../receiver/incoming.ts";
import type { Accepted } from "../receiver/outcome.ts";
import type { Receiver } from "../receiver/receiver.ts";
import { type Answer, failure, RETRY_AFTER } from "../receiver/response.ts";
import type { ForwardOptions } from "./forward.ts";
import { HOP_BY_HOP } from "./hop-by-hop.ts";
import { isOverdue, type TargetAnswer } from "./send.ts";

/** Bytes of a target's answer that are passed on. */
const MAX_PASSED_ON = 10 * 1024 * 1024;

/** Milliseconds beyond the forward's own time, in which its result is stored. */
const SLACK = 5000;

/** How a forward ended. */
type End = { readonly answer: TargetAnswer } | { readonly thrown: unknown };

/**
 * Forwards each event while its sender waits, and gives the target's answer to the sender. The event is in the inbox
 * before it is forwarded; until the target has answered 2xx it is tried again, in its turn and whenever the sender comes
 * again.
 */
export class SyncForward {
  readonly #waiting = new Map<number, Set<(end: End) => void>>();
  readonly #timeout: number;

  constructor(timeout: number) {
    this.#timeout = timeout;
  }

  /** The options of the one forward whose answers are passed on. */
  get forwardOptions(): ForwardOptions {
    return {
      ...{ timeout: this.#timeout, maxAnswer: MAX_PASSED_ON },
      onAnswer: (seq, answer) => this.#tell(seq, { answer }),
      onFailure: (seq, thrown) => this.#tell(seq, { thrown }),
    };
  }

  /** The receiver as its senders are to meet it. */
  over(receiver: Pick<Receiver, "receive" | "runNow">): Pick<Receiver, "receive"> {
    const inline: Inline = {
      holdMs: this.#timeout + SLACK,
      answer: (accepted) => this.#answer(accepted, receiver),
    };
    return { receive: (incoming) => receiver.receive(incoming, inline) };
  }

  async #answer(
    { seq, entryState }: Accepted,
    receiver: Pick<Receiver, "runNow">,
  ): Promise<Answer | undefined> {
    if (entryState !== "pending" && entryState !== "running") return undefined; // it has ended: the usual answer
    const ends: End[] = [];
    const listener = (end: End) => void ends.push(end);
    const others = this.#waiting.get(seq) ?? new Set();
    this.#waiting.set(seq, others.add(listener));
    try {
      const ran = await receiver.runNow(seq);
      const [end] = ends;
      if (end !== undefined) return toSender(end);
      return ran === undefined || ran.state === "pending" ? comeAgain() : undefined;
    } catch {
      return comeAgain(); // the store failed; the event is in it, and is tried again
    } finally {
      others.delete(listener);
      if (others.size === 0) this.#waiting.delete(seq);
    }
  }

  #tell(seq: number, end: End): void {
    for (const listener of this.#waiting.get(seq) ?? []) listener(end);
  }
}

/** What the sender gets. What is wrong on this machine is for the log and the live view, not for whoever sends. */
function toSender(end: End): Answer {
  if ("thrown" in end) {
    return isOverdue(end.thrown)
      ? failure(504, "gateway_timeout", "The delivery is kept, but the target did not answer in time.")
      : failure(502, "bad_gateway", "The delivery is kept, but the target could not be reached.");
  }
  const { status, bytes, cut, headers } = end.answer;
  if (cut)
    return failure(
      502,
      "bad_gateway",
      "The delivery is kept, but the target's answer is too long to pass on.",
    );
  const bodiless = status === 204 || status === 304;
  const length = bodiless ? {} : { "content-length": String(bytes.byteLength) };
  return { status, headers: { ...passedBack(headers), ...length }, body: bytes };
}

function comeAgain(): Answer {
  const message = "The delivery is kept, but cannot be passed on right now; it is tried again.";
  return failure(503, "unavailable", message, { "Retry-After": RETRY_AFTER });
}

/** The target's headers without those of its connection, be they known or named by it. */
function passedBack(headers: TargetAnswer["headers"]): Answer["headers"] {
  const named = (headers.connection ?? "").toLowerCase().split(",");
  const dropped = new Set([...HOP_BY_HOP, "content-length", ...named.map((name) => name.trim())]);
  const kept = Object.entries(headers).filter(([name]) => !dropped.has(name));
  return Object.fromEntries(kept.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}
