import { WHY } from "../reasons.ts";

/**
 * What is expected of a forged delivery. Any answer that does not confirm it keeps the forgery out, even a crash, so that
 * is all that is required; 4xx is better.
 */
export const REFUSED = {
  right: ["3xx", "4xx", "5xx", "closed"],
  best: ["4xx"],
  severity: "required",
  why: WHY.signature,
} as const;
