import { isIn } from "./answer.ts";
import { isMarkedSample, isSample } from "./cases/forged-kind-cases.ts";
import type { CheckResult } from "./check-result.ts";
import type { FoundCause, OpenCode } from "./found-cause.ts";
import { accepts, idsOf, isConfirmed, shown } from "./signs.ts";

type Results = readonly CheckResult[];

/** Why forged deliveries are confirmed in every form, and what shows it. */
export interface OpenCause {
  readonly code: Exclude<OpenCode, "inverted">;
  readonly isShown: (results: Results) => boolean;
  /** Whether a case of the same run contradicts it. */
  readonly isRefuted?: (results: Results) => boolean;
  /** The results that it names. */
  readonly named?: (results: Results) => Results;
  /** Whether signatures are compared all the same, if there are any. */
  readonly compares?: boolean;
}

/** Most serious first. */
const OPEN_CAUSES: readonly OpenCause[] = [
  {
    code: "forged_at_random",
    isShown: isRandom,
  },
  {
    code: "some_kinds_verified",
    isShown: (results) => confirmsWrong(results) && refusesSome(shown(results, "wrong_kinds")),
    named: (results) => [...ofKinds(results, "unsigned_kinds"), ...ofKinds(results, "wrong_kinds")],
  },
  {
    code: "answered_before_verified",
    isShown: (results) =>
      confirmsAll(results) &&
      (shown(results, "one_event")?.runs ?? 0) > 0 &&
      shown(results, "forged_event")?.runs === 0,
    isRefuted: refusesUnsigned,
  },
  {
    code: "nothing_verified",
    isShown: confirmsAll,
    isRefuted: refusesUnsigned,
  },
  {
    code: "any_signature_accepted",
    isShown: confirmsWrong,
  },
  {
    code: "part_of_digest_compared",
    isShown: (results) => accepts(results, "part_of_digest"),
  },
  {
    code: "failed_comparison_accepted",
    isShown: (results) =>
      accepts(results, "not_ascii") || confirmsEach(shown(results, "wrong_lengths")),
  },
  {
    code: "sent_digits_compared",
    isShown: (results) => accepts(results, "half_digest", "all_digits_but_one"),
  },
  {
    code: "some_kinds_verified",
    isShown: (results) => accepts(results, "unsigned") && refusesUnsigned(results),
    named: (results) => ofKinds(results, "unsigned_kinds"),
    compares: true,
  },
  {
    code: "only_signed_verified",
    isShown: (results) => accepts(results, "unsigned"),
    compares: true,
  },
];

/** Why forged deliveries are confirmed in every form, if they are in the plainest. */
export function findOpenCause(results: Results): OpenCause | undefined {
  return OPEN_CAUSES.find(
    ({ isShown, isRefuted }) => isShown(results) && isRefuted?.(results) !== true,
  );
}

export function inRun({ code, named }: OpenCause, results: Results): FoundCause {
  const found = { cases: idsOf(named?.(results) ?? []), letsForgedIn: true };
  if (code === "sent_digits_compared")
    return { ...found, code, evenNone: accepts(results, "unsigned") };
  if (code === "some_kinds_verified") return { ...found, code, confirmed: [] };
  return { ...found, code };
}

function confirmsWrong(results: Results): boolean {
  return accepts(results, "zeros", "other_secret");
}

function confirmsAll(results: Results): boolean {
  return confirmsWrong(results) && accepts(results, "unsigned", "no_digest");
}

/** Whether unsigned deliveries of some kinds are refused. */
function refusesUnsigned(results: Results): boolean {
  return refusesSome(shown(results, "unsigned_kinds"));
}

/**
 * Whether forgeries of one kind are confirmed in one case and refused in another that sends the
 * same.
 */
function isRandom(results: Results): boolean {
  const unsigned = shown(results, "unsigned_kinds");
  if (unsigned === undefined) return false;
  const { confirmed } = unsigned;
  const plain = shown(results, "unsigned");
  if (plain !== undefined && plain.answers.length > 0 && unsigned.answers.length > 0) {
    const isOpen = accepts(results, "unsigned");
    if (isOpen ? !confirmed.some(isMarkedSample) : confirmed.some(isSample)) return true;
  }
  const wrong = shown(results, "wrong_kinds")?.confirmed ?? [];
  return confirmed.length > 0 && wrong.length > 0 && namesOf(confirmed) !== namesOf(wrong);
}

function namesOf(forgeries: CheckResult["confirmed"]): string {
  return forgeries.map(({ name }) => name).join();
}

/** The result of forgeries of every kind, if some of them are confirmed and some refused. */
function ofKinds(results: Results, sign: "unsigned_kinds" | "wrong_kinds"): Results {
  const result = shown(results, sign);
  return result !== undefined && refusesSome(result) ? [result] : [];
}

function refusesSome(result: CheckResult | undefined): boolean {
  if (result === undefined || !isConfirmed(result)) return false;
  return result.answers.some((answer) => isIn(answer, ["401", "403"]));
}

/** Whether every one of several forgeries is confirmed. */
function confirmsEach(result: CheckResult | undefined): boolean {
  if (result === undefined || !isConfirmed(result)) return false;
  return result.answers.every((answer) => isIn(answer, ["2xx"]));
}
