import { grouped } from "../base/grouped.ts";
import { CATALOGUE } from "./catalogue.ts";
import type { Subject } from "./check-case.ts";
import type { CheckResult } from "./check-result.ts";
import { NOT_SIGNATURE } from "./judge.ts";

/** An answer of 2xx, alone or among others such as `401, 5 × 200`. */
export const CONFIRMED = /(?:^|, |× )2\d\d/;

const BY_ID = new Map(CATALOGUE.map((checkCase) => [checkCase.id as string, checkCase]));

/** Whether the case of a result is about this. */
export function isAbout({ id }: CheckResult, about: Subject): boolean {
  return BY_ID.get(id)?.about === about;
}

/** Whether a valid delivery may have been refused for its signature. */
export function refusesSignature({ answer, fix }: CheckResult): boolean {
  return /^40[013]/.test(answer ?? "") && fix?.startsWith(NOT_SIGNATURE) !== true;
}

/**
 * Failures that their cases explain alike, with that text. Failures with an explanation of another
 * kind are left out.
 */
export function explainedTogether(results: readonly CheckResult[]) {
  const fixOf = ({ id }: CheckResult) => BY_ID.get(id)?.fix ?? "";
  const similar = results.filter(
    (result) => result.outcome === "failed" && result.fix?.startsWith(fixOf(result)) === true,
  );
  return [...grouped(similar, fixOf)].map(([fix, similar]) => ({ fix, alike: similar }));
}

/** A text as a sentence, with the ids of the cases that show it. */
export function causeText(fix: string, results: readonly CheckResult[]): string {
  const sentence = `${fix.slice(0, 1).toUpperCase()}${fix.slice(1).replace(/\.?$/, ".")}`;
  return `${sentence} (${inBrief(results.map(({ id }) => id))})`;
}

/** The first of some names, and how many more there are. */
export function inBrief(names: readonly string[]): string {
  const more = names.length > 4 ? ` and ${names.length - 4} more` : "";
  return names.slice(0, 4).join(", ") + more;
}
