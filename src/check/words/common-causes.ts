import { durationText } from "../../base/text/duration-text.ts";
import { escapeInvisible } from "../../base/text/escape-invisible.ts";
import { type CaseId, CONTROL } from "../catalogue.ts";
import type {
  CaseCause,
  ControlCode,
  FoundCause,
  PlainCause,
  RefusedControl,
} from "../found-cause.ts";
import { limitText } from "./absences.ts";
import { answerText } from "./answers.ts";
import { attemptText } from "./attempt-causes.ts";
import { caseCauseText } from "./causes.ts";
import { LOST } from "./faults.ts";

/** Causes of which no more need be said than a sentence. */
const CAUSES: Readonly<Record<PlainCause["code"], string>> = {
  inverted: attemptText({ code: "inverted" }),
  forged_at_random:
    "Forged deliveries are confirmed now and then: the check is left out at random, or for a time after a valid delivery. " +
    "Verify every delivery.",
  answered_before_verified:
    "It answers 200 to every delivery, though no forged one was seen to run: it answers before it verifies, or despite it. " +
    "Verify first, and answer 401.",
  nothing_verified:
    "The signature is not verified at all: deliveries with a missing or wrong signature are confirmed.",
  any_signature_accepted:
    "Any signature of the right form is confirmed: it is not compared with the right one. Compare all 64 digits.",
  part_of_digest_compared:
    "Only a part of the digest is compared, or something made from it: some wrong signatures are confirmed. Compare all 64 " +
    "digits, in constant time.",
  failed_comparison_accepted:
    "Signatures that cannot be compared are confirmed: an error while verifying counts as success. Refuse the delivery then.",
  only_signed_verified:
    "Unsigned deliveries are confirmed: the signature is verified only if there is one. Refuse deliveries without the header.",
  forged_runs_refused:
    "Forged events run although they are refused: verify the signature before you do anything else.",
  failed_event_lost: `An event that failed is lost: ${LOST}.`,
  fails_now_and_then:
    "It fails now and then on valid deliveries, and takes the same ones later: see its log.",
  nothing_runs:
    "No confirmed event was seen to run: the receiver does not process what it confirms, or --observe does not count it.",
  confirmed_events_lost:
    "It confirms events that it never runs, and so loses them: store an event before the answer, and see its log for what fails afterwards.",
  text_verified:
    "The receiver does not verify the raw body, but text decoded as something other than UTF-8, such as Latin-1. Read the body as bytes before any parser, verify those, then parse.",
  parsed_body_verified:
    "The receiver does not verify the raw body, but JSON or text made from it. Read the body as bytes before any parser, verify those, then parse.",
  unusual_input_fails:
    "Unusual input makes the code fail: catch errors around verifying and parsing, and answer 4xx.",
};

/** A common cause in a sentence or two, with the cases that show it. */
export function causeText(cause: FoundCause): string {
  switch (cause.code) {
    case "sent_digits_compared":
      return `Only as many digits as were sent are compared${cause.evenNone ? ", even none" : ""}: compare the lengths first.`;
    case "other_spelling_verified":
      return withCases(attemptText(cause.found), cause.cases);
    case "refuses_at_random":
      return withCases(attemptText(cause), cause.cases);
    case "slow_answers": {
      const { median, slowest, slowestCase } = cause.times;
      return (
        `It answers slowly: after ${durationText(median)} in the median, and ${durationText(slowest)} at most (${slowestCase}). A sender ` +
        "that gives up sends the event again. Answer as soon as the event is stored, and work later."
      );
    }
    case "rate_limited":
    case "senders_banned":
      return limitText(cause);
    case "control_refused":
    case "control_not_found":
    case "control_rate_limited":
    case "control_failed":
    case "control_endless":
    case "control_not_200":
    case "control_refused_otherwise":
    case "control_unanswered":
      return controlText(cause);
  }
  if (isPlain(cause)) return withCases(CAUSES[cause.code], cause.cases);
  const fix = caseCauseText(cause.code, cause.cases[0] ?? "");
  const sentence = `${fix.slice(0, 1).toUpperCase()}${fix.slice(1)}`;
  const { confirmed } = cause;
  const which = confirmed.length === 0 ? "" : `; confirmed: ${inBrief(confirmed)}`;
  return withCases(`${sentence}${which}.`, cause.cases);
}

function isPlain(cause: PlainCause | CaseCause): cause is PlainCause {
  return Object.hasOwn(CAUSES, cause.code);
}

/** What the answer to the control says of the receiver, if no attempt has shown more. */
const CONTROLS: Readonly<Record<ControlCode, string>> = {
  control_refused:
    "most likely the secrets differ, or the signature header's name. If it knows only webhooks or tenants of its own, pass --event.",
  control_not_found:
    "check the path. If it knows only webhooks or properties of its own, pass --event.",
  control_rate_limited: "it limits the rate, or bans this address.",
  control_failed:
    "the app's own log says why. If it verifies with hookporter or in Express, a body parser may run before that.",
  control_endless:
    "the answer begins, but does not end, so that the sender gives up and retries. End the response.",
  control_not_200: "only 200 confirms a delivery.",
  control_refused_otherwise:
    "if it looks up the property, the tenant or the webhook, send an event that it knows with --event.",
  control_unanswered: "fix that first.",
};

/** The answers that say no more by how they begin. */
const UNTOLD: ReadonlySet<ControlCode> = new Set([
  "control_endless",
  "control_not_200",
  "control_unanswered",
]);

function controlText({ code, answer, text, found }: RefusedControl): string {
  const answered = answer === undefined ? "null" : answerText(answer);
  const came = `${CONTROL}, a completely valid delivery, was answered with ${answered}`;
  const said =
    text === undefined ? "" : ` Its answer begins: ${escapeInvisible(JSON.stringify(text))}.`;
  if (found !== undefined)
    return `${came}. ${attemptText(found)}${found.code === "signature_accepted" ? said : ""}`;
  return `${came}: ${CONTROLS[code]}${UNTOLD.has(code) ? "" : said}`;
}

/** A text with the ids of the cases that show it. */
function withCases(text: string, cases: readonly CaseId[]): string {
  return cases.length === 0 ? text : `${text} (${inBrief(cases)})`;
}

/** More names than these are only counted. */
const MOST_NAMES = 4;

/** The first of some names, and how many more there are. */
function inBrief(names: readonly string[]): string {
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : "";
  return names.slice(0, MOST_NAMES).join(", ") + more;
}

/** The cases that the texts of these causes name. */
export function namedCases(causes: readonly FoundCause[]): readonly CaseId[] {
  return causes.flatMap(({ cases }) => cases.slice(0, MOST_NAMES));
}
