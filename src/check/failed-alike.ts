import { CATALOGUE } from "./catalogue.ts";
import type { Subject } from "./check-case.ts";
import type { CheckResult } from "./check-result.ts";
import { NOT_SIGNATURE } from "./judge.ts";

/** An answer of 2xx, alone or among others such as `401, 5 × 200`. */
export const CONFIRMED = /(?:^|, |× )2\d\d/;

const BY_ID = new Map(CATALOGUE.map((one) => [one.id as string, one]));

/** Failures that have one cause. */
export interface Alike {
  /** The cases that would show this cause. */
  readonly about: Subject | ((one: CheckResult) => boolean);
  /** Their answers if it applies. */
  readonly answered: RegExp | ((one: CheckResult) => boolean);
}

/** The failed results with a cause. */
export function failedBy(
  { about, answered }: Alike,
  results: readonly CheckResult[],
): readonly CheckResult[] {
  return results.filter(
    (one) =>
      one.outcome === "failed" &&
      (typeof about === "string" ? isAbout(one, about) : about(one)) &&
      (typeof answered === "function" ? answered(one) : answered.test(one.answer ?? "")),
  );
}

/** Whether a valid delivery may have been refused for its signature. */
export function refusesSignature({ answer, fix }: CheckResult): boolean {
  return /^40[013]/.test(answer ?? "") && fix?.startsWith(NOT_SIGNATURE) !== true;
}

/** Whether the case of a result is about this. */
export function isAbout({ id }: CheckResult, about: Subject): boolean {
  return BY_ID.get(id)?.about === about;
}

/** Ids in brief. */
export function idsText(results: readonly CheckResult[]): string {
  const shown = results.slice(0, 4).map(({ id }) => id);
  return (
    shown.join(", ") + (results.length > shown.length ? ` and ${results.length - shown.length} more` : "")
  );
}
