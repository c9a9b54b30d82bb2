import { setTimeout as wait } from "node:timers/promises";
import { isIn, type ProbeAnswer } from "./answer.ts";

/** Milliseconds of one wait, and of all waits of a run. */
const MAX_WAIT = 90_000;
const MAX_TOTAL_WAIT = 600_000;
/**
 * Milliseconds of the first wait if the receiver does not say how long; each further one is twice
 * as long.
 */
const FIRST_WAIT = 1000;

/** Why a receiver refuses everything for a time. */
export type LimitCode = "rate_limited" | "senders_banned";

/** What a receiver that refuses everything for a time answered. */
export interface Limit {
  readonly code: LimitCode;
  readonly answer: ProbeAnswer;
  /** How many requests came before it. */
  readonly requests: number;
}

/** How to send a valid delivery, and what to tell while waiting. */
export interface LimitTerms {
  readonly sendValid: () => Promise<ProbeAnswer>;
  /** How many requests were sent so far. */
  readonly requests: () => number;
  /** Milliseconds until the run ends. */
  readonly timeLeft?: () => number;
  /** Called with the milliseconds of each wait, and why. */
  readonly onWait?: (milliseconds: number, why: LimitCode) => void;
  readonly wait?: (milliseconds: number) => Promise<unknown>;
}

/**
 * Notices a receiver that refuses everything for a time, since it limits the rate or bans senders
 * of wrong signatures, and waits until it accepts a valid delivery again. Without that, a refusal
 * would prove nothing.
 */
export function watchLimits({
  sendValid,
  requests,
  timeLeft = () => Number.POSITIVE_INFINITY,
  onWait,
  wait: sleep = wait,
}: LimitTerms) {
  let found: Limit | undefined;
  let waitedInAll = 0;
  let pendingWait: Promise<LimitState> | undefined;
  const sendUntilAccepted = async (): Promise<LimitState> => {
    const after = requests();
    let waited = 0;
    for (let next = FIRST_WAIT; ; next *= 2) {
      const answer = await sendValid();
      if (!isRefusedByLimit(answer)) return waited === 0 ? "open" : "reopened";
      if (waited === 0 && !isRateLimited(answer) && (await acceptsOneOf(sendValid))) return "mixed";
      const code = isRateLimited(answer) ? "rate_limited" : "senders_banned";
      found = { code, answer, requests: after };
      const retryAfter = retryAfterOf(answer);
      const pause = retryAfter === undefined || retryAfter === 0 ? next : retryAfter;
      const isTooLong = waited + pause > MAX_WAIT || waitedInAll + pause > MAX_TOTAL_WAIT;
      if (isTooLong || pause > timeLeft()) return { gaveUp: found };
      onWait?.(pause, code);
      await sleep(pause);
      waited += pause;
      waitedInAll += pause;
    }
  };
  return {
    /** Why it refused everything; `undefined` if it never did. */
    found: () => found,
    /** Sends a valid delivery, and waits as long as it is refused. Looks once, however many ask. */
    waitUntilAccepted: (): Promise<LimitState> => {
      pendingWait ??= sendUntilAccepted().finally(() => {
        pendingWait = undefined;
      });
      return pendingWait;
    },
  };
}

/**
 * Whether valid deliveries are accepted at once or again, or some of them and others not, or why
 * they are not after a long wait.
 */
export type LimitState = "open" | "reopened" | "mixed" | { readonly gaveUp: Limit };

/** Further valid deliveries that a receiver must refuse at once if it bans the sender. */
const PROOFS = 7;

async function acceptsOneOf(sendValid: LimitTerms["sendValid"]): Promise<boolean> {
  for (let sent = 0; sent < PROOFS; sent++) if (!isRefusedByLimit(await sendValid())) return true;
  return false;
}

/** Whether a valid delivery was refused for what came before it. */
function isRefusedByLimit(answer: ProbeAnswer): boolean {
  return isIn(answer, ["401", "403"]) || isRateLimited(answer);
}

/** Whether an answer says that there were too many requests. */
export function isRateLimited(answer: ProbeAnswer): boolean {
  return isIn(answer, ["429"]) || (isIn(answer, ["503"]) && retryAfterOf(answer) !== undefined);
}

/** Milliseconds after which the receiver wants the next request, if it says so. */
export function retryAfterOf(answer: ProbeAnswer): number | undefined {
  return answer.type === "status" ? answer.retryAfter : undefined;
}
