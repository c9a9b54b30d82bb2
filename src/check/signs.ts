import { grouped } from "../base/grouped.ts";
import { isIn, mayBeSignature } from "./answer.ts";
import type { CaseId } from "./catalogue.ts";
import type { SharedSign, Sign } from "./check-case.ts";
import type { CheckResult } from "./check-result.ts";
import type { CauseCode } from "./codes.ts";
import type { Fault } from "./fault.ts";

/** Whether an answer was 2xx, alone or among others. */
export function isConfirmed({ answers }: CheckResult): boolean {
  return answers.some((answer) => isIn(answer, ["2xx"]));
}

/** The result of the case that shows something, if it was run. */
export function shown(results: readonly CheckResult[], sign: Sign): CheckResult | undefined {
  return results.find(({ checkCase }) => checkCase.shows === sign);
}

/** Whether forged deliveries were confirmed that show each of some signs. */
export function accepts(
  results: readonly CheckResult[],
  ...signs: readonly (Sign | SharedSign)[]
): boolean {
  return signs.every((sign) =>
    results.some(
      (result) =>
        result.checkCase.shows === sign && result.outcome === "failed" && isConfirmed(result),
    ),
  );
}

/** Faults that say all there is to say, whatever was answered besides. */
const WHOLE: ReadonlySet<Fault["code"]> = new Set(["lost", "endless", "stopped_receiver", "found"]);

/** Whether a case failed for an answer that no correct receiver gives. */
export function hasWrongAnswer({ checkCase, answers, fault }: CheckResult): boolean {
  if (fault === null || WHOLE.has(fault.code)) return false;
  return answers.some((answer) => !isIn(answer, checkCase.expects.answers));
}

/** Whether a valid delivery may have been refused for its signature. */
export function refusesSignature({ answers: [first], fault }: CheckResult): boolean {
  const isOther = fault?.code === "refused_for_another_reason";
  return first !== undefined && mayBeSignature(first) && !isOther;
}

/** Whether a case failed for what the case itself is about, not for what any may meet. */
export function hasOwnCause({ outcome, fault, checkCase }: CheckResult): boolean {
  return outcome === "failed" && fault?.code === checkCase.cause;
}

/** The failures that their cases explain, by that cause. */
export function byOwnCause(
  results: readonly CheckResult[],
): ReadonlyMap<CauseCode, readonly CheckResult[]> {
  return grouped(results.filter(hasOwnCause), ({ checkCase }) => checkCase.cause);
}

/** The code of what is wrong: of what an attempt found, if one did. */
export function causeCodeOf({ fault }: CheckResult): string | null {
  return fault?.code === "found" ? fault.found.code : (fault?.code ?? null);
}

export function idsOf(results: readonly CheckResult[]): readonly CaseId[] {
  return results.map(({ checkCase }) => checkCase.id);
}
