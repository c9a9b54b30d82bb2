import { isIn, type ProbeAnswer } from "../answer.ts";
import type { Evidence } from "../check-case.ts";
import { WHY } from "../reasons.ts";

/**
 * What is expected of a forged delivery. Any answer that does not confirm it keeps the forgery out,
 * even a crash, so that is all that is required; 4xx is better.
 */
export const REFUSED = {
  right: ["3xx", "4xx", "5xx", "closed"],
  best: ["4xx"],
  severity: "required",
  why: WHY.signature,
} as const;

/**
 * The values of the signature header that a forger can send; `null` is none. The wrong one has no
 * zero byte, which a receiver that compares until one would take for the right digest of 1 body in
 * 256.
 */
export const FORGED = { unsigned: null, wrong: `sha256=${"5a".repeat(32)}` } as const;

/** Sends forged deliveries one after another, each with a name for the report. */
export async function sendForged(
  forgeries: readonly (readonly [name: string, send: () => Promise<ProbeAnswer>])[],
): Promise<Evidence> {
  const answers: ProbeAnswer[] = [];
  const confirmed: string[] = [];
  for (const [name, send] of forgeries) {
    const answer = await send();
    answers.push(answer);
    if (isIn(answer, ["2xx"])) confirmed.push(name);
  }
  return { answers, confirmed };
}
