import { SAME_KIND, SOME_KINDS } from "./cases/forged-kind-cases.ts";
import type { CheckResult } from "./check-result.ts";
import { CONFIRMED, causeText, explainedTogether, inBrief, isAbout } from "./similar-failures.ts";

/** Why forged deliveries get in, most serious first; each that does is in one of the causes. */
export function diagnoseForged(results: readonly CheckResult[]): readonly string[] {
  if (results.some(({ fix }) => fix === INVERTED)) return [INVERTED];
  const forged = results.filter(isForgedIn);
  const open = whyOpen(results);
  // A forgery gets in by a detour, which it does not need if all do anyway.
  if (open !== undefined && open !== PART) return [open];
  // Some wrong signatures are taken by chance, in whatever form.
  const part = open === undefined ? [] : forged.filter((result) => !hasUnsigned(result));
  const ran = forged.filter(ranRefused);
  const others = forged.filter((result) => !part.includes(result) && !ran.includes(result));
  return [
    ...(open === undefined ? [] : [causeText(open, part)]),
    ...explainedTogether(others).map(({ fix, alike: similar }) => {
      const confirmed = [...new Set(similar.flatMap((result) => result.confirmed))];
      return causeText(
        confirmed.length === 0 ? fix : `${fix}; confirmed: ${inBrief(confirmed)}`,
        similar,
      );
    }),
    ...(ran.length === 0 ? [] : [causeText(RUNS_REFUSED, ran)]),
  ];
}

/** Whether a delivery without a signature got in. */
function hasUnsigned({ id, confirmed }: CheckResult): boolean {
  return (
    id === "SIG-01" || id === "SIG-37" || confirmed.some((name) => name.startsWith("unsigned"))
  );
}

/**
 * Whether a delivery got in that anyone may have sent: neither the secret nor a delivery of the
 * sender's makes it.
 */
export function isForgedIn(result: CheckResult): boolean {
  const { id, outcome, severity, right, answer, runs } = result;
  if (outcome !== "failed" || severity !== "required" || !/^(?:refused|any)/.test(right))
    return false;
  if (!CONFIRMED.test(answer ?? "") && !ranRefused(result)) return false;
  if (/never runs/.test(right) && /^any/.test(right)) return (runs ?? 0) > 0;
  return (
    !HARMLESS.has(id) && !isAbout(result, "form") && (!isAbout(result, "bytes") || MEANING.has(id))
  );
}

/** Only who has the secret can send these. */
const HARMLESS: ReadonlySet<string> = new Set([
  "SIG-06",
  "SIG-07",
  "SIG-08",
  "SIG-24",
  "SIG-25",
  "SIG-27",
]);
/** The changed bodies that mean something else. */
const MEANING: ReadonlySet<string> = new Set(["BODY-01", "BODY-06"]);

function ranRefused({ runs, right, answer }: CheckResult): boolean {
  return (runs ?? 0) > 0 && /never runs/.test(right) && !CONFIRMED.test(answer ?? "");
}

/** Said of a receiver that refuses what is valid and confirms what is not. */
export const INVERTED =
  "It refuses valid deliveries and confirms wrong signatures: its comparison is inverted. Refuse unless the digests are equal.";
const NOT_VERIFIED =
  "The signature is not verified at all: deliveries with a missing or wrong signature are confirmed.";
const AT_RANDOM =
  "Forged deliveries are confirmed now and then: the check is left out at random, or for a time after a valid delivery. " +
  "Verify every delivery.";
const ANSWERS_FIRST =
  "It answers 200 to every delivery, though no forged one was seen to run: it answers before it verifies, or despite it. " +
  "Verify first, and answer 401.";
/** Said of a receiver that verifies only what is signed. */
export const UNSIGNED =
  "Unsigned deliveries are confirmed: the signature is verified only if there is one. Refuse deliveries without the header.";
const PART =
  "Only a part of the digest is compared, or something made from it: some wrong signatures are confirmed. Compare all 64 " +
  "digits, in constant time.";
const RUNS_REFUSED =
  "Forged events run although they are refused: verify the signature before you do anything else.";

/** Why forged deliveries are confirmed in every form, if they are in the plainest. */
export function whyOpen(results: readonly CheckResult[]): string | undefined {
  const resultOf = (id: string) => results.find((result) => result.id === id);
  const accepts = (...ids: string[]) =>
    ids.every(
      (id) => resultOf(id)?.outcome === "failed" && CONFIRMED.test(resultOf(id)?.answer ?? ""),
    );
  const unsigned = resultOf("SIG-37");
  const wrong = resultOf("SIG-38");
  if (isRandom(accepts("SIG-01"), unsigned, wrong)) return AT_RANDOM;
  if (accepts("SIG-01", "SIG-02", "SIG-17", "SIG-18")) {
    if (refusesSome(unsigned) && refusesSome(wrong))
      return causeText(SOME_KINDS, [unsigned, wrong]);
    const ran = resultOf("DUP-04")?.runs ?? 0;
    return ran > 0 && resultOf("DUP-10")?.runs === 0 ? ANSWERS_FIRST : NOT_VERIFIED;
  }
  if (accepts("SIG-17", "SIG-18"))
    return "Any signature of the right form is confirmed: it is not compared with the right one. Compare all 64 digits.";
  if (["SIG-36", "SIG-39", "SIG-40", "SIG-41"].some((id) => accepts(id))) return PART;
  if (accepts("SIG-16") || /^5 × 2/.test(resultOf("SIG-42")?.answer ?? ""))
    return "Signatures that cannot be compared are confirmed: an error while verifying counts as success. Refuse the delivery then.";
  if (accepts("SIG-10", "SIG-11"))
    return `Only as many digits as were sent are compared${accepts("SIG-01") ? ", even none" : ""}: compare the lengths first.`;
  return accepts("SIG-01") ? UNSIGNED : undefined;
}

/**
 * Whether forgeries of one kind are confirmed in one case and refused in another that sends the
 * same.
 */
function isRandom(
  isOpen: boolean,
  unsigned: CheckResult | undefined,
  wrong: CheckResult | undefined,
) {
  if (unsigned === undefined || unsigned.answer === null) return false;
  const { confirmed } = unsigned;
  if (isOpen ? !confirmed.includes(SAME_KIND) : confirmed.includes("property.created")) return true;
  const others = wrong?.confirmed ?? [];
  return confirmed.length > 0 && others.length > 0 && confirmed.join() !== others.join();
}

/** Whether forgeries of some kinds are refused as wrongly signed. */
function refusesSome(result: CheckResult | undefined): result is CheckResult {
  return /40[13]/.test(result?.answer ?? "");
}
