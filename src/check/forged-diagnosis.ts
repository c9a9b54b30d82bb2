import type { CheckResult } from "./check-result.ts";
import type { FoundCause } from "./found-cause.ts";
import { findOpenCause, inRun } from "./open-causes.ts";
import { byOwnCause, idsOf, isConfirmed } from "./signs.ts";

/** Why forged deliveries get in, most serious first; each that does is in one of the causes. */
export function diagnoseForged(results: readonly CheckResult[]): readonly FoundCause[] {
  if (results.some(({ fault }) => fault?.code === "found" && fault.found.code === "inverted"))
    return [{ code: "inverted", cases: [], letsForgedIn: true }];
  const open = findOpenCause(results);
  const isPart = open?.code === "part_of_digest_compared";
  // A forgery gets in by a detour, which it does not need if all do anyway.
  if (open !== undefined && !isPart) return [inRun(open, results)];
  const forged = results.filter(isForgedIn);
  // Some wrong signatures are taken by chance, in whatever form.
  const part = isPart ? forged.filter((result) => !hasUnsigned(result)) : [];
  const ran = forged.filter(ranRefused);
  const others = forged.filter((result) => !part.includes(result) && !ran.includes(result));
  const causes = [...byOwnCause(others)].map(([code, similar]) => {
    const names = similar.flatMap(({ confirmed }) => confirmed.map(({ name }) => name));
    return { code, cases: idsOf(similar), confirmed: [...new Set(names)], letsForgedIn: true };
  });
  return [
    ...shared("part_of_digest_compared", part),
    ...causes,
    ...shared("forged_runs_refused", ran),
  ];
}

function shared(
  code: "part_of_digest_compared" | "forged_runs_refused",
  similar: readonly CheckResult[],
): readonly FoundCause[] {
  return similar.length === 0 ? [] : [{ code, cases: idsOf(similar), letsForgedIn: true }];
}

/** Whether a delivery without a signature got in. */
function hasUnsigned({ checkCase: { shows }, confirmed }: CheckResult): boolean {
  return (
    shows === "unsigned" ||
    shows === "unsigned_kinds" ||
    confirmed.some(({ isUnsigned }) => isUnsigned)
  );
}

/**
 * Whether a delivery got in that anyone may have sent: neither the secret nor a delivery of the
 * sender's makes it.
 */
export function isForgedIn(result: CheckResult): boolean {
  const { checkCase, outcome, severity, runs } = result;
  if (outcome !== "failed" || severity !== "required" || checkCase.isForgery !== true) return false;
  // Something else than the receiver may have answered it, so that only its run shows it.
  if (checkCase.expects.answers.includes("2xx")) return (runs ?? 0) > 0;
  return isConfirmed(result) || ranRefused(result);
}

/** Whether a forged event ran although it was refused. */
function ranRefused(result: CheckResult): boolean {
  return (result.runs ?? 0) > 0 && result.checkCase.expects.runs === 0 && !isConfirmed(result);
}
