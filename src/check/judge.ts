import { ownCommand } from "../package/own-command.ts";
import { answersText, answerText, isIn, mayBeSignature, type ProbeAnswer } from "./answer.ts";
import { anyOf, type CheckCase, type Evidence, groupOf, rightText } from "./check-case.ts";
import type { CheckResult } from "./check-result.ts";
import { slowFix } from "./response-times.ts";

/** What a judgement needs besides the evidence. */
export interface Circumstances {
  readonly timeout: number;
  /** Milliseconds after which an answer is slow. */
  readonly slow: number;
  readonly duration: number;
  /** How it refuses a wrong signature, if it does. */
  readonly refusal?: ProbeAnswer | undefined;
}

/** Decides whether the evidence of a case is correct, and if not, what to fix. */
export function judge(
  checkCase: CheckCase,
  { answers, runs, confirmed = [], resent: again }: Evidence,
  circumstances: Circumstances,
): CheckResult {
  const { duration, slow } = circumstances;
  const responseTime = slowestOf(answers);
  const base = { ...blank(checkCase), answer: answersText(answers), confirmed, duration };
  const seen = { ...base, runs: runs ?? null, responseTime };
  const wrong = answers.find((answer) => !isIn(answer, checkCase.right));
  if (wrong !== undefined) {
    const isPart = confirmed.length > 0 && confirmed.length < answers.length;
    const which = isPart ? `; confirmed: ${confirmed.join(", ")}` : "";
    if (again?.runs === 0) return { ...seen, outcome: "failed", severity: "required", fix: LOST };
    if (wrong.type === "endless")
      return {
        ...seen,
        outcome: "failed",
        severity: "required",
        fix: fixFor(checkCase, wrong, circumstances),
      };
    const then =
      again === undefined ? "" : `; sent once more, it was answered ${answersText([again.answer])}`;
    return {
      ...seen,
      outcome: "failed",
      fix: fixFor(checkCase, wrong, circumstances) + which + then,
    };
  }
  if (runs !== undefined && runs !== checkCase.runs) {
    const never = runs === 0 && (checkCase.severity === "recommended" || checkCase.runs === 2);
    if (checkCase.runs === 0 && !answers.some((answer) => isIn(answer, ["2xx"])))
      return { ...seen, outcome: "failed", fix: RUNS_REFUSED };
    const fix = never ? "the event was confirmed, but never ran: see DUP-04" : checkCase.fix;
    return { ...seen, outcome: "failed", fix };
  }
  const { best } = checkCase;
  const second = best === undefined ? undefined : answers.find((answer) => !isIn(answer, best));
  if (best === undefined || second === undefined) {
    if (responseTime === null || responseTime <= slow) return { ...seen, outcome: "passed" };
    return { ...seen, outcome: "failed", severity: "recommended", fix: slowFix(responseTime) };
  }
  const fix =
    best.includes("200") || !isIn(second, ["4xx"])
      ? fixFor(checkCase, second, circumstances)
      : `correctly refused, but answer ${anyOf(best)} to tell the sender why`;
  return { ...seen, outcome: "failed", severity: "recommended", fix };
}

function slowestOf(answers: readonly ProbeAnswer[]): number | null {
  const times = answers.flatMap((answer) =>
    answer.type === "status" && answer.tookMs !== undefined ? [answer.tookMs] : [],
  );
  return times.length === 0 ? null : Math.max(...times);
}

/** The result of a case that was not run. */
export function notApplicable(checkCase: CheckCase, reason: string): CheckResult {
  return { ...blank(checkCase), outcome: "not_applicable", fix: reason };
}

/**
 * A failed result for a case that stopped the receiver: after it the receiver no longer answered,
 * for good or for a moment.
 */
export function stoppedReceiver(
  result: CheckResult,
  checkCase: CheckCase,
  how: string,
  isSigned: boolean,
): CheckResult {
  const stops = checkCase.stops ?? (isSigned ? SIGNED_STOPS : UNSIGNED_STOPS);
  return { ...result, outcome: "failed", severity: "required", fix: `${how}: ${stops}` };
}

const SIGNED_STOPS =
  "any holder of the secret, such as the service, can stop the receiver: catch errors while you parse and handle an event, " +
  "and answer 4xx to one that is not valid";
const UNSIGNED_STOPS =
  "one unsigned sender can stop the receiver: catch errors while you read, verify and parse, and answer 4xx";

/** The result of a case whose observer failed. It counts as failed, since nothing was observed. */
export function notObserved(checkCase: CheckCase, reason: string, duration: number): CheckResult {
  return {
    ...blank(checkCase),
    outcome: "failed",
    fix: `could not be observed: ${reason}`,
    duration,
  };
}

function blank(checkCase: CheckCase): Omit<CheckResult, "outcome"> {
  const { id, sent, severity, why } = checkCase;
  return {
    id,
    sent,
    severity,
    why,
    group: groupOf(checkCase),
    right: rightText(checkCase),
    answer: null,
    confirmed: [],
    runs: null,
    fix: null,
    responseTime: null,
    duration: 0,
  };
}

/** What is wrong: a general text for an answer that no case expects, else the case's own text. */
function fixFor(
  checkCase: CheckCase,
  answer: ProbeAnswer,
  { timeout, refusal }: Circumstances,
): string {
  const wantsRefusal = !checkCase.right.includes("200");
  switch (answer.type) {
    case "silent":
      if (checkCase.silence !== undefined) return checkCase.silence;
      return `no answer within ${timeout / 1000} s: answer as soon as the event is stored, and process it afterwards`;
    case "closed":
      return (
        checkCase.crash ?? "it closes the connection without an answer: check its log for a crash"
      );
    case "endless":
      return `its answer begins with ${answer.status}, but does not end within ${timeout / 1000} s, so that the sender gives up and retries: end the response`;
    case "unreachable":
      return `no connection (${answer.detail}): check its log for a crash`;
  }
  const { status } = answer;
  if (wantsRefusal) {
    if (status >= 500)
      return (
        checkCase.crash ??
        "its code fails on this instead of refusing it: catch the error and answer 4xx"
      );
    if (status >= 300)
      return `${status} does not refuse it: answer ${anyOf(checkCase.best ?? checkCase.right)}`;
    return checkCase.fix;
  }
  if (status >= 200 && status < 300)
    return `${status} does not confirm a delivery: answer exactly 200`;
  if (status >= 300 && status < 400)
    return "it redirects, but senders do not follow redirects: check the final URL";
  if (status >= 500) return checkCase.crash ?? "its code fails on a valid delivery: see its log";
  if (status === 409)
    return "it refuses a valid delivery as a conflict, so the sender retries for ever: events may come late, twice and in any order";
  if (
    showsSignature(checkCase) &&
    refusal !== undefined &&
    answerText(answer) !== answerText(refusal)
  )
    return `${NOT_SIGNATURE} (${answerText(answer)}, and ${answerText(refusal)} to a wrong signature): see its log`;
  if (isIn(answer, ["401", "403"]) && !SIGNATURE_FIXES.has(checkCase.about)) return unauthorised();
  if (
    mayBeSignature(answer) ||
    !SIGNATURE_FIXES.has(checkCase.about) ||
    checkCase.about === "content-type"
  )
    return checkCase.fix;
  return `it refuses a valid delivery with ${status}, which is not about its signature: see its log`;
}

/** Said of a receiver that marks an event before it has it. */
export const LOST =
  "its code fails, and when the delivery is sent again it is confirmed but never runs: it marks an event as known before " +
  "it has stored or run it, so each failure loses one";

/** How the text begins for a receiver that refuses a valid delivery, but not for its signature. */
export const NOT_SIGNATURE = "it refuses this for another reason than the signature";

/** Whether only a wrong signature should be refused as this case is. */
export function showsSignature({ about, right }: CheckCase): boolean {
  return right.includes("200") && (about === "bytes" || about === "digest");
}

/** The cases whose own text says why a valid signature may be refused. */
const SIGNATURE_FIXES: ReadonlySet<CheckCase["about"]> = new Set([
  "bytes",
  "content-type",
  "digest",
  "header",
  "transfer",
] as const);

const RUNS_REFUSED =
  "it refuses a forged event, but runs it: verify the signature before you do anything else";

const unauthorised = () =>
  "it refuses a validly signed delivery as unauthorised: its check uses something other than the raw body, or fails at " +
  `random; \`${ownCommand("sign")}\` prints what it should compute`;
