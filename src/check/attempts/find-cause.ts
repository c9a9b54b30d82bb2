import { isIn, type ProbeAnswer } from "../answer.ts";
import type { Probe } from "../probe.ts";
import type { Attempt } from "./attempt.ts";
import { bodyAttempts } from "./body-attempts.ts";
import { headerAttempts } from "./header-attempts.ts";
import { keyAttempts } from "./key-attempts.ts";
import { spellingAttempts } from "./spelling-attempts.ts";

const REFUSES_AT_RANDOM =
  "It refused one valid delivery and accepted the next, so it refuses at random, or counts something besides the " +
  "signature.";

const TOO_SLOW =
  "Most likely the secrets differ, or the signature header's name. It answers too slowly to try all common faults.";

/** Milliseconds after which the search ends. */
export const LONGEST = 60_000;

/** These say that something besides the signature is wrong: the path, the method, the type, the size or the rate. */
const OTHER_REFUSALS = ["404", "405", "408", "410", "411", "413", "415", "429"];

/** Whether a refusal of a valid delivery may be due to its signature. */
export function mayBeSignature(answer: ProbeAnswer): boolean {
  return isIn(answer, ["4xx"]) && !isIn(answer, OTHER_REFUSALS);
}

/**
 * Why a receiver refuses a completely valid delivery: sends it once for each common fault of receivers, so that only one
 * with that fault accepts it. Returns `undefined` if none does.
 */
export function whyAllRefused(probe: Probe): Promise<string | undefined> {
  return firstProven([spellingAttempts, keyAttempts, headerAttempts, bodyAttempts], probe);
}

/** Which JSON or text a receiver verifies that accepts a delivery in one spelling and refuses it in another. */
export async function whySpellingsRefused(probe: Probe): Promise<string | undefined> {
  for (const kind of [spellingAttempts, bodyAttempts]) {
    const cause = await firstProven([kind], probe);
    if (cause !== undefined && cause !== REFUSES_AT_RANDOM && cause !== TOO_SLOW) return cause;
  }
  return undefined;
}

async function firstProven(
  kinds: readonly ((probe: Probe) => readonly Attempt[])[],
  probe: Probe,
): Promise<string | undefined> {
  const deadline = performance.now() + LONGEST;
  for (const { cause, send, sendValid } of kinds.flatMap((kind) => kind(probe))) {
    if (performance.now() > deadline) return TOO_SLOW;
    const answer = await send();
    // The fault is proven only if the receiver still refuses what is valid.
    if (isIn(answer, ["2xx"])) return isIn(await sendValid(), ["2xx"]) ? REFUSES_AT_RANDOM : cause;
    if (answer.type === "silent" || answer.type === "unreachable" || isIn(answer, ["429"])) return undefined;
  }
  return undefined;
}
