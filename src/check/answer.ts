/** The outcome of one request. */
export type ProbeAnswer =
  | {
      readonly type: "status";
      readonly status: number;
      /**
       * Milliseconds from the end of the request to the answer; absent if it was answered before
       * its end.
       */
      readonly tookMs?: number;
      /** Milliseconds after which it wants the next request. */
      readonly retryAfter?: number;
      /** The first bytes of the answer's body, as text. */
      readonly text?: string;
    }
  /** The connection ended without an answer. */
  | { readonly type: "closed" }
  /**
   * The answer began with a 2xx, but did not end in time: a sender waits for the rest, gives up and
   * retries.
   */
  | { readonly type: "endless"; readonly status: number }
  /** There was no answer in time. */
  | { readonly type: "silent" }
  /** No connection could be made. */
  | { readonly type: "unreachable"; readonly detail: string };

/**
 * A set of correct answers: statuses such as `200`, classes such as `4xx`, and `closed` for a
 * connection that ends without an answer.
 */
export type AnswerSet = readonly string[];

export function isIn(answer: ProbeAnswer, set: AnswerSet): boolean {
  if (answer.type === "closed") return set.includes("closed");
  if (answer.type !== "status") return false;
  const { status } = answer;
  return set.includes(String(status)) || set.includes(`${Math.floor(status / 100)}xx`);
}

/**
 * Whether a connection ended before its request was sent and answered: by the receiver, or by the
 * sender, who gave up.
 */
export function isBrokenOff(answer: ProbeAnswer): boolean {
  return answer.type === "status" ? answer.tookMs === undefined : answer.type !== "endless";
}

/**
 * Whether an answer may mean that a signature is wrong. Others are about something else, such as
 * the path or the rate.
 */
export function mayBeSignature(answer: ProbeAnswer): boolean {
  return isIn(answer, ["400", "401", "403"]);
}

/** Whether two answers are the same to a sender: the same status, or none for the same reason. */
export function isSameAnswer(answer: ProbeAnswer, other: ProbeAnswer): boolean {
  return answer.type === other.type && statusOf(answer) === statusOf(other);
}

function statusOf(answer: ProbeAnswer): number | undefined {
  return "status" in answer ? answer.status : undefined;
}
