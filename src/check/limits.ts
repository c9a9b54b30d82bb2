import { setTimeout as wait } from "node:timers/promises";
import { answerText, isIn, type ProbeAnswer } from "./answer.ts";

/** Milliseconds of one wait, and of all waits of a run. */
const MAX_WAIT = 90_000;
const MAX_TOTAL_WAIT = 600_000;
/**
 * Milliseconds of the first wait if the receiver does not say how long; each further one is twice
 * as long.
 */
const FIRST_WAIT = 1000;

/** How to send a valid delivery, and what to tell while waiting. */
export interface LimitTerms {
  readonly sendValid: () => Promise<ProbeAnswer>;
  /** How many requests were sent so far. */
  readonly requests: () => number;
  /** Called with the milliseconds of each wait, and why. */
  readonly onWait?: (milliseconds: number, why: string) => void;
  readonly wait?: (milliseconds: number) => Promise<unknown>;
}

/**
 * Notices a receiver that refuses everything for a time, since it limits the rate or bans senders
 * of wrong signatures, and waits until it accepts a valid delivery again. Without that, a refusal
 * would prove nothing.
 */
export function watchLimits({ sendValid, requests, onWait, wait: sleep = wait }: LimitTerms) {
  let found: string | undefined;
  let waitedInAll = 0;
  let pendingWait: Promise<LimitState> | undefined;
  const sendUntilAccepted = async (): Promise<LimitState> => {
    const after = requests();
    let waited = 0;
    for (let next = FIRST_WAIT; ; next *= 2) {
      const answer = await sendValid();
      if (!isRefusedByLimit(answer)) return waited === 0 ? "open" : "reopened";
      const { retryAfter } = answer as { retryAfter?: number };
      const why = isRateLimited(answer)
        ? "it limits the rate"
        : "it bans senders of wrong signatures";
      found = foundText(answer, after);
      const pause = retryAfter === undefined || retryAfter === 0 ? next : retryAfter;
      if (waited + pause > MAX_WAIT || waitedInAll + pause > MAX_TOTAL_WAIT)
        return { gaveUp: found };
      onWait?.(pause, why);
      await sleep(pause);
      waited += pause;
      waitedInAll += pause;
    }
  };
  return {
    /** Why it refused everything, in a sentence; `undefined` if it never did. */
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
 * Whether valid deliveries are accepted at once or again, or why they are not after a long wait.
 */
export type LimitState = "open" | "reopened" | { readonly gaveUp: string };

/** Whether a valid delivery was refused for what came before it. */
function isRefusedByLimit(answer: ProbeAnswer): boolean {
  return isIn(answer, ["401", "403"]) || isRateLimited(answer);
}

/** Whether an answer says that there were too many requests. */
export function isRateLimited(answer: ProbeAnswer): boolean {
  if (answer.type !== "status") return false;
  return answer.status === 429 || (answer.status === 503 && answer.retryAfter !== undefined);
}

function foundText(answer: ProbeAnswer, requests: number): string {
  const asked = (answer as { retryAfter?: number }).retryAfter;
  const how = `${answerText(answer)}${asked === undefined ? "" : `, Retry-After: ${Math.ceil(asked / 1000)} s`}`;
  return isRateLimited(answer)
    ? `The receiver limits the rate: after ${requests} requests it refused valid deliveries, too (${how}). Raise its limit for the test, or pass --rate.`
    : `The receiver bans senders of wrong signatures: after ${requests} requests it refused valid deliveries, too (${how}). Exempt the address of the test.`;
}
