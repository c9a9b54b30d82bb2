import { isIn, type ProbeAnswer } from "../answer.ts";
import type { Evidence, Forgery } from "../check-case.ts";

/**
 * What is expected of a forged delivery. Any answer that does not confirm it keeps the forgery out,
 * even a crash, so that is all that is required; 4xx is better.
 */
export const REFUSED = {
  expects: { answers: ["3xx", "4xx", "5xx", "closed"], best: ["4xx"] },
  severity: "required",
  why: "signature",
  isForgery: true,
} as const;

/**
 * The values of the signature header that a forger can send; `null` is none. The wrong one has no
 * zero byte, which a receiver that compares until one would take for the right digest of 1 body in
 * 256.
 */
export const FORGED = { unsigned: null, wrong: `sha256=${"5a".repeat(32)}` } as const;

/** A forged delivery that can be sent. */
export interface SentForgery extends Forgery {
  readonly send: () => Promise<ProbeAnswer>;
}

/** Sends forged deliveries one after another. */
export async function sendForged(forgeries: readonly SentForgery[]): Promise<Evidence> {
  const answers: ProbeAnswer[] = [];
  const confirmed: Forgery[] = [];
  for (const { name, isUnsigned = false, send } of forgeries) {
    const answer = await send();
    answers.push(answer);
    if (isIn(answer, ["2xx"])) confirmed.push({ name, isUnsigned });
  }
  return { answers, confirmed };
}
