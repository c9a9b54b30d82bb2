import { isIn, isSameAnswer, mayBeSignature, type ProbeAnswer } from "./answer.ts";
import type { AttemptCause } from "./attempts/attempt-cause.ts";
import { DIGEST_FAULTS } from "./cases/digest-cases.ts";
import { CONTROL } from "./catalogue.ts";
import {
  expectsConfirmation,
  type Group,
  groupOf,
  type SharedSign,
  type Sign,
  type Subject,
} from "./check-case.ts";
import type { CheckResult } from "./check-result.ts";
import { diagnoseForged, isForgedIn } from "./forged-diagnosis.ts";
import type { ControlCode, FoundCause, SharedCode } from "./found-cause.ts";
import type { MixedAnswers } from "./mixed.ts";
import { findOpenCause } from "./open-causes.ts";
import {
  byOwnCause,
  hasOwnCause,
  hasWrongAnswer,
  idsOf,
  isConfirmed,
  refusesSignature,
} from "./signs.ts";

type Results = readonly CheckResult[];

/** What was found by sending more than the cases. */
export interface FoundCauses {
  /** Why the control is refused. */
  readonly control?: AttemptCause | undefined;
  /** How the answer to the control begins, if that was refused. */
  readonly text?: string | undefined;
  /** Why valid deliveries are refused in some spellings. */
  readonly spelling?: AttemptCause | undefined;
  /** That some valid deliveries are accepted and others refused, so that no refusal has a cause. */
  readonly mixed?: MixedAnswers;
}

/** A cause that several results have in common. */
interface SharedCause {
  readonly code: SharedCode;
  readonly isShown: (result: CheckResult) => boolean;
  /** How many results must show it. */
  readonly atLeast: number;
  /** Whether another case of the same run contradicts it. */
  readonly isRefuted?: (results: Results) => boolean;
}

/** Fewer failures than this are not worth a common cause, since each has its own text. */
const SEVERAL = 3;

/** Failures after which an event is lost, or taken when it is sent again. */
const AFTER_FAILURES: readonly SharedCause[] = [
  {
    code: "failed_event_lost",
    isShown: ({ fault }) => fault?.code === "lost",
    atLeast: 1,
  },
  {
    code: "fails_now_and_then",
    isShown: wasConfirmedLater,
    atLeast: 1,
  },
];

const NOTHING_RUNS: SharedCause = {
  code: "nothing_runs",
  isShown: shouldRun,
  atLeast: 1,
  isRefuted: (results) => results.some((result) => shouldRun(result) && result.runs !== 0),
};

const SOME_LOST: SharedCause = {
  code: "confirmed_events_lost",
  isShown: ({ fault }) => fault?.code === "confirmed_lost",
  atLeast: 1,
  isRefuted: (results) => inRun(NOTHING_RUNS, results).length > 0,
};

const RESPELT: readonly SharedCause[] = [
  {
    code: "text_verified",
    isShown: isRespelt,
    atLeast: SEVERAL,
    isRefuted: (results) =>
      !failsOn(results, "text_beyond_ascii") || failsOn(results, "spelling_in_ascii"),
  },
  {
    code: "parsed_body_verified",
    isShown: isRespelt,
    atLeast: SEVERAL,
  },
];

const UNUSUAL_INPUT: SharedCause = {
  code: "unusual_input_fails",
  isShown: crashes,
  atLeast: SEVERAL,
};

/** Common causes of several results, most serious first; none if each failure has its own cause. */
export function diagnose(results: Results, found: FoundCauses = {}): readonly FoundCause[] {
  const control = results.find(({ checkCase }) => checkCase.id === CONTROL);
  const forged = diagnoseForged(results);
  if (control?.outcome === "failed" && !control.answers.every((answer) => isIn(answer, ["200"])))
    return forged[0]?.code === "inverted" ? forged : [...forged, refusedControl(control, found)];
  const { mixed } = found;
  if (mixed !== undefined) {
    const cases = idsOf(results.filter(({ fault }) => fault?.code === "found"));
    return [...forged, { code: "refuses_at_random", mixed, cases }];
  }
  return [
    ...forged,
    ...AFTER_FAILURES.flatMap((cause) => inRun(cause, results)),
    ...diagnoseDigests(results),
    ...inRun(NOTHING_RUNS, results),
    ...inRun(SOME_LOST, results),
    ...diagnoseSpellings(results, found.spelling),
    ...diagnoseSubjects(results),
    ...inRun(UNUSUAL_INPUT, results),
  ];
}

/** The cause with the cases that show it, if there are enough, and none contradicts it. */
function inRun(
  { code, isShown, atLeast, isRefuted }: SharedCause,
  results: Results,
): readonly FoundCause[] {
  const similar = results.filter(isShown);
  if (similar.length < atLeast || isRefuted?.(results) === true) return [];
  return [{ code, cases: idsOf(similar) }];
}

/** Whether a valid delivery failed, and was confirmed when it was sent again. */
function wasConfirmedLater(result: CheckResult): boolean {
  const { resent } = result;
  return resent !== undefined && hasWrongAnswer(result) && isIn(resent.answer, ["2xx"]);
}

/** Whether an event was confirmed, and observed. */
function shouldRun(result: CheckResult): boolean {
  const wanted = result.checkCase.expects.runs ?? 0;
  return result.runs !== null && wanted > 0 && isConfirmed(result);
}

/** Whether unusual input made the code fail. */
function crashes({ checkCase, outcome, answers }: CheckResult): boolean {
  const [first, second, third] = answers;
  if (outcome !== "failed" || first === undefined || expectsConfirmation(checkCase)) return false;
  if (!UNUSUAL.has(groupOf(checkCase)) || !isIn(first, ["5xx", "closed"])) return false;
  // A case that gets the same for many forgeries adds nothing to those that send one.
  return !(second && third && isSameAnswer(first, second) && isSameAnswer(first, third));
}

const UNUSUAL: ReadonlySet<Group> = new Set(["BODY", "TIME", "SIG"]);

/** Whether a case sends a valid delivery in an unusual spelling. */
function isSpelling({ checkCase }: CheckResult): boolean {
  return checkCase.about === "bytes" && expectsConfirmation(checkCase);
}

/** Whether a valid delivery was refused that is spelt in an unusual way. */
function isRespelt(result: CheckResult): boolean {
  return isSpelling(result) && result.outcome === "failed" && refusesSignature(result);
}

/** Whether the receiver refuses valid deliveries in several spellings. */
export function refusesSpellings(results: Results): boolean {
  return results.filter(isRespelt).length >= SEVERAL;
}

function failsOn(results: Results, sign: Sign | SharedSign): boolean {
  return results.some(({ checkCase, outcome }) => checkCase.shows === sign && outcome === "failed");
}

/** What a receiver verifies that refuses valid deliveries in several spellings. */
function diagnoseSpellings(
  results: Results,
  found: AttemptCause | undefined,
): readonly FoundCause[] {
  if (found === undefined) return RESPELT.flatMap((cause) => inRun(cause, results)).slice(0, 1);
  const cases = idsOf(results.filter(isRespelt));
  return cases.length < SEVERAL ? [] : [{ code: "other_spelling_verified", found, cases }];
}

/** What several cases look at in different ways, so that their failures have a cause in common. */
const COMMON: ReadonlySet<Subject | undefined> = new Set([
  "bytes",
  "form",
  "content-type",
] as const);

function diagnoseSubjects(results: Results): readonly FoundCause[] {
  const open = findOpenCause(results);
  // What a receiver that compares nothing confirms says nothing of how it compares.
  const hides = open !== undefined && open.compares !== true;
  const similar = results.filter((result) => {
    const [first] = result.answers;
    if (isSpelling(result) || isForgedIn(result)) return false;
    if (hides && first !== undefined && isIn(first, ["2xx"])) return false;
    return COMMON.has(result.checkCase.about);
  });
  return [...byOwnCause(similar)]
    .filter(([, shared]) => shared.length >= SEVERAL)
    .map(([code, shared]) => ({ code, cases: idsOf(shared), confirmed: [] }));
}

/**
 * Why valid deliveries are refused at random: which digests the receiver computes or prints
 * wrongly. One case is proof enough, since all others avoid such digests.
 */
function diagnoseDigests(results: Results): readonly FoundCause[] {
  const failed = new Map(
    results
      .filter((result) => hasOwnCause(result) && refusesSignature(result))
      .map(({ checkCase }) => [checkCase.id as string, checkCase] as const),
  );
  return DIGEST_FAULTS.flatMap((ids) => {
    const similar = ids.flatMap((id) => failed.get(id) ?? []);
    const [first] = similar;
    if (first === undefined || first.id !== ids[0]) return [];
    for (const { id } of similar) failed.delete(id);
    return [{ code: first.cause, cases: similar.map(({ id }) => id), confirmed: [] }];
  });
}

function refusedControl(
  { answers: [answer] }: CheckResult,
  { control, text }: FoundCauses,
): FoundCause {
  return { code: controlCode(answer), cases: [CONTROL], answer, text, found: control };
}

function controlCode(answer: ProbeAnswer | undefined): ControlCode {
  if (answer === undefined) return "control_unanswered";
  if (answer.type === "endless") return "control_endless";
  if (mayBeSignature(answer)) return "control_refused";
  if (isIn(answer, ["404", "405"])) return "control_not_found";
  if (isIn(answer, ["429"])) return "control_rate_limited";
  if (isIn(answer, ["5xx"])) return "control_failed";
  if (isIn(answer, ["2xx"])) return "control_not_200";
  return isIn(answer, ["4xx"]) ? "control_refused_otherwise" : "control_unanswered";
}
