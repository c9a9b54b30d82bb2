import { randomBytes } from "node:crypto";
import { isIn, isSameAnswer, mayBeSignature, type ProbeAnswer } from "../answer.ts";
import { howMixed, isTakenAgain } from "../mixed.ts";
import type { Probe } from "../probe.ts";
import { type Attempt, type AttemptForm, plainForm } from "./attempt.ts";
import type { AttemptCause } from "./attempt-cause.ts";
import { bodyAttempts, freshAttempts, respacedAttempts } from "./body-attempts.ts";
import { headerAttempts, keyAttempts, schemeAttempts } from "./signing-attempts.ts";
import { spellingAttempts } from "./spelling-attempts.ts";

/** Milliseconds after which the search ends. */
export const LONGEST = 60_000;

/** What explains no refusal of some spellings. */
const SAYS_NOTHING: ReadonlySet<AttemptCause["code"]> = new Set([
  "refuses_at_random",
  "too_slow_to_try",
]);

/** How often what proves a cause must be answered alike, so that chance cannot explain it. */
const PROOFS = 4;

/** Wrong digests that prove that a form is compared: some comparisons take one of 16. */
const FORGERIES = 8;

/**
 * Why a receiver refuses a completely valid delivery: sends it for each common fault of receivers,
 * so that only one with that fault accepts it. Returns `undefined` if none does.
 *
 * @param refusal - its answer to the valid delivery
 */
export async function whyAllRefused(
  probe: Probe,
  refusal: ProbeAnswer,
): Promise<AttemptCause | undefined> {
  if ((await isTakenAgain(probe, probe.body())) || (await acceptsOne(others(probe), probe)))
    return atRandom(probe);
  const forged = await forgedOf(plainForm(probe), probe, refusal);
  if (forged === "confirmed") return { code: "inverted" };
  if (forged === "other")
    return (await firstProven([freshAttempts], probe)) ?? { code: "signature_accepted" };
  const kinds = [
    spellingAttempts,
    keyAttempts,
    headerAttempts,
    bodyAttempts,
    schemeAttempts,
    freshAttempts,
  ];
  const cause = await firstProven(kinds, probe, refusal);
  return cause?.code === "refuses_at_random" ? atRandom(probe) : cause;
}

async function atRandom(probe: Probe): Promise<AttemptCause> {
  return { code: "refuses_at_random", mixed: await howMixed(probe) };
}

/** Valid deliveries whose refusals show that one was not refused by chance. */
function others(probe: Probe): readonly Buffer[] {
  return Array.from({ length: PROOFS }, () => probe.another());
}

/**
 * Which JSON or text a receiver verifies that accepts a delivery in one spelling and refuses it in
 * another.
 */
export async function whySpellingsRefused(probe: Probe): Promise<AttemptCause | undefined> {
  for (const kind of [spellingAttempts, respacedAttempts, bodyAttempts]) {
    const cause = await firstProven([kind], probe);
    if (cause !== undefined && !SAYS_NOTHING.has(cause.code)) return cause;
  }
  return undefined;
}

/**
 * The cause of the first attempt that is proven: such a delivery is accepted, or answered otherwise
 * than the refusal; valid ones of another form are not; and the same form with wrong digits is
 * refused as before.
 */
async function firstProven(
  kinds: readonly ((probe: Probe) => readonly Attempt[])[],
  probe: Probe,
  refusal?: ProbeAnswer,
): Promise<AttemptCause | undefined> {
  const deadline = performance.now() + LONGEST;
  let changed: AttemptCause | undefined;
  for (const attempt of kinds.flatMap((kind) => kind(probe))) {
    if (performance.now() > deadline) return changed ?? { code: "too_slow_to_try" };
    const { fault, body: make, digest, as, valid } = attempt;
    const body = make();
    const answer = await probe.post(body, as(digest(body)));
    if (answer.type === "silent" || answer.type === "unreachable" || isIn(answer, ["429"]))
      return changed;
    const isTaken = isIn(answer, ["2xx"]);
    if (!isTaken && (changed !== undefined || !isOther(answer, refusal))) continue;
    // The fault is proven only if the receiver takes each such delivery, and still refuses what is
    // valid, and what is wrong in the same form.
    if (isTaken && !(await takesAll(attempt, probe))) return { code: "refuses_at_random" };
    if (isTaken && (await acceptsOne(valid?.() ?? others(probe), probe))) {
      if (valid === undefined) return { code: "refuses_at_random" };
      continue;
    }
    if ((await forgedOf(attempt, probe, refusal)) !== "refused") continue;
    if (isTaken) return fault;
    changed = { ...fault, failedWith: answer };
  }
  return changed;
}

/** Whether a receiver takes every further delivery in the form of an attempt. */
async function takesAll({ body: make, digest, as }: AttemptForm, probe: Probe): Promise<boolean> {
  for (let proofs = 1; proofs < PROOFS; proofs++) {
    const body = make();
    if (mayBeSignature(await probe.post(body, as(digest(body))))) return false;
  }
  return true;
}

async function acceptsOne(bodies: readonly Buffer[], probe: Probe): Promise<boolean> {
  for (const body of bodies) if (isIn(await probe.post(body), ["2xx"])) return true;
  return false;
}

/**
 * How wrong digits in the form of an attempt are answered: all as the valid delivery was, or one of
 * them otherwise.
 */
async function forgedOf(
  { body: make, as }: AttemptForm,
  probe: Probe,
  refusal: ProbeAnswer | undefined,
) {
  for (let forgeries = 0; forgeries < FORGERIES; forgeries++) {
    const answer = await probe.post(make(), as(randomBytes(32).toString("hex")));
    if (isIn(answer, ["2xx"])) return "confirmed";
    if (refusal !== undefined && !isSameAnswer(answer, refusal)) return "other";
  }
  return "refused";
}

/** Whether an answer shows that the signature was good, and something after it was not. */
function isOther(answer: ProbeAnswer, refusal: ProbeAnswer | undefined): boolean {
  if (refusal === undefined || answer.type !== "status" || !mayBeSignature(refusal)) return false;
  return !isSameAnswer(answer, refusal) && !isIn(answer, ["3xx", "429"]);
}
