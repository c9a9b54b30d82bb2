import { isIn, isSameAnswer, mayBeSignature, type ProbeAnswer } from "./answer.ts";
import type { CheckCase } from "./catalogue.ts";
import { type Evidence, expectsConfirmation, type Severity } from "./check-case.ts";
import type { CheckResult } from "./check-result.ts";
import type { StopCode } from "./codes.ts";
import type { Fault } from "./fault.ts";
import type { MixedAnswers } from "./mixed.ts";
import type { Absence } from "./reachable.ts";

/** What a judgement needs besides the evidence. */
export interface Circumstances {
  readonly timeout: number;
  /** Milliseconds after which an answer is slow. */
  readonly slow: number;
  readonly duration: number;
  /** How it refuses a wrong signature, if it does. */
  readonly refusal?: ProbeAnswer | undefined;
}

/** What is wrong, and how much it weighs. */
interface Judgement {
  readonly fault: Fault;
  readonly severity: Severity;
}

/** Decides whether the evidence of a case is correct, and if not, what is wrong. */
export function judge(
  checkCase: CheckCase,
  evidence: Evidence,
  circumstances: Circumstances,
): CheckResult {
  const { answers, ran, confirmed = [], resent } = evidence;
  const { runs = ran === undefined ? null : Number(ran) } = evidence;
  const responseTime = slowestOf(answers);
  const seen = {
    ...blank(checkCase),
    answers,
    confirmed,
    runs,
    resent,
    responseTime,
    duration: circumstances.duration,
  };
  const judgement =
    judgeAnswers(checkCase, evidence, circumstances) ??
    judgeRuns(checkCase, evidence) ??
    judgeRan(evidence) ??
    judgeBest(checkCase, answers, circumstances) ??
    judgeTime(responseTime, circumstances);
  return judgement === undefined
    ? { ...seen, outcome: "passed" }
    : { ...seen, outcome: "failed", ...judgement };
}

/** Whether all answers are correct ones. */
function judgeAnswers(
  checkCase: CheckCase,
  { answers, resent }: Evidence,
  circumstances: Circumstances,
): Judgement | undefined {
  const { expects, severity } = checkCase;
  const wrong = answers.find((answer) => !isIn(answer, expects.answers));
  if (wrong === undefined) return undefined;
  if (resent?.runs === 0) return { fault: { code: "lost" }, severity: "required" };
  // Some digests of one form were taken, so that form is not why others were refused.
  const isChance = checkCase.about === "digest" && answers.some((one) => isIn(one, ["2xx"]));
  const fault: Fault = isChance
    ? { code: "found", found: { code: "refuses_at_random" } }
    : faultOf(checkCase, wrong, circumstances);
  return { fault, severity: wrong.type === "endless" ? "required" : severity };
}

/** Whether the event ran as often as it should. */
function judgeRuns(
  { expects, severity, cause }: CheckCase,
  { answers, runs }: Evidence,
): Judgement | undefined {
  if (runs === undefined || runs === expects.runs) return undefined;
  if (expects.runs === 0 && !answers.some((answer) => isIn(answer, ["2xx"])))
    return { fault: { code: "runs_refused" }, severity };
  const neverRan = runs === 0 && (severity === "recommended" || expects.runs === 2);
  return { fault: { code: neverRan ? "confirmed_never_ran" : cause }, severity };
}

/** Whether what was confirmed ran at all: an event that did not is lost. */
function judgeRan({ ran }: Evidence): Judgement | undefined {
  return ran === false ? { fault: { code: "confirmed_lost" }, severity: "required" } : undefined;
}

/** Whether the answers are the preferred ones. */
function judgeBest(
  checkCase: CheckCase,
  answers: readonly ProbeAnswer[],
  circumstances: Circumstances,
): Judgement | undefined {
  const { best } = checkCase.expects;
  const second = best && answers.find((answer) => !isIn(answer, best));
  if (best === undefined || second === undefined) return undefined;
  const isRefusal = !best.includes("200") && isIn(second, ["4xx"]);
  return {
    fault: isRefusal
      ? { code: "other_refusal_preferred" }
      : faultOf(checkCase, second, circumstances),
    severity: "recommended",
  };
}

function judgeTime(time: number | null, { slow }: Circumstances): Judgement | undefined {
  if (time === null || time <= slow) return undefined;
  return { fault: { code: "slow", milliseconds: time }, severity: "recommended" };
}

function slowestOf(answers: readonly ProbeAnswer[]): number | null {
  const times = answers.flatMap((answer) =>
    answer.type === "status" && answer.tookMs !== undefined ? [answer.tookMs] : [],
  );
  return times.length === 0 ? null : Math.max(...times);
}

/** The result of a case that was not run, or not seen. */
export function notApplicable(checkCase: CheckCase, fault: Fault): CheckResult {
  return { ...blank(checkCase), outcome: "not_applicable", fault };
}

/**
 * A failed result for a case that stopped the receiver: after it the receiver no longer answered,
 * for good or for a moment.
 */
export function stoppedReceiver(
  result: CheckResult,
  absence: Absence,
  stops: StopCode,
): CheckResult {
  return {
    ...result,
    outcome: "failed",
    severity: "required",
    fault: { code: "stopped_receiver", absence, stops },
  };
}

/** The result of a case that refused a valid delivery of which the receiver accepts some. */
export function atRandom(result: CheckResult, mixed: MixedAnswers): CheckResult {
  return { ...result, fault: { code: "found", found: { code: "refuses_at_random", mixed } } };
}

/** The result of a case whose observer failed. It counts as failed, since nothing was observed. */
export function notObserved(checkCase: CheckCase, detail: string, duration: number): CheckResult {
  return {
    ...blank(checkCase),
    outcome: "failed",
    fault: { code: "not_observed", detail },
    duration,
  };
}

function blank(checkCase: CheckCase): Omit<CheckResult, "outcome"> {
  return {
    checkCase,
    severity: checkCase.severity,
    answers: [],
    confirmed: [],
    runs: null,
    fault: null,
    responseTime: null,
    duration: 0,
  };
}

/** What is wrong: what any case may meet for an answer that none expects, else its own cause. */
function faultOf(checkCase: CheckCase, answer: ProbeAnswer, circumstances: Circumstances): Fault {
  const { timeout } = circumstances;
  switch (answer.type) {
    case "silent":
      return checkCase.silence === undefined
        ? { code: "silent", timeout }
        : { code: checkCase.silence };
    case "closed":
      return { code: checkCase.crash ?? "closed" };
    case "endless":
      return { code: "endless", status: answer.status, timeout };
    case "unreachable":
      return { code: "unreachable", detail: answer.detail };
    case "status":
      return expectsConfirmation(checkCase)
        ? faultOfRefusal(checkCase, answer, circumstances)
        : faultOfConfirmation(checkCase, answer.status);
  }
}

/** What is wrong with a receiver that does not refuse what it should. */
function faultOfConfirmation({ crash, cause }: CheckCase, status: number): Fault {
  if (status >= 500) return { code: crash ?? "invalid_failed" };
  if (status >= 300) return { code: "not_refused", status };
  return { code: cause };
}

/** What is wrong with a receiver that does not confirm what it should. */
function faultOfRefusal(
  checkCase: CheckCase,
  answer: ProbeAnswer & { readonly type: "status" },
  { refusal }: Circumstances,
): Fault {
  const { about, cause, crash } = checkCase;
  const { status } = answer;
  if (status >= 200 && status < 300) return { code: "not_200", status };
  if (status >= 300 && status < 400) return { code: "redirects" };
  if (status >= 500) return { code: crash ?? "delivery_failed" };
  if (status === 409) return { code: "conflict" };
  if (showsSignature(checkCase) && refusal !== undefined && !isSameAnswer(answer, refusal))
    return { code: "refused_for_another_reason", answer, refusal };
  const isOwn = SIGNATURE_CAUSES.has(about);
  if (isIn(answer, ["401", "403"]) && !isOwn) return { code: "unauthorised" };
  if (mayBeSignature(answer) || !isOwn || about === "content-type") return { code: cause };
  return { code: "refused_otherwise", status };
}

/** Whether only a wrong signature should be refused as this case is. */
export function showsSignature(checkCase: CheckCase): boolean {
  const { about } = checkCase;
  return expectsConfirmation(checkCase) && (about === "bytes" || about === "digest");
}

/** The cases whose own cause says why a valid signature may be refused. */
const SIGNATURE_CAUSES: ReadonlySet<CheckCase["about"]> = new Set([
  "bytes",
  "content-type",
  "digest",
  "header",
  "transfer",
] as const);
