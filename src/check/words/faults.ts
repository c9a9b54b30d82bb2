import { ownCommand } from "../../base/package/own-command.ts";
import { durationText } from "../../base/text/duration-text.ts";
import { CONTROL } from "../catalogue.ts";
import type { CheckResult } from "../check-result.ts";
import type { CauseCode } from "../codes.ts";
import type { PlainFaultCode } from "../fault.ts";
import { hasWrongAnswer } from "../signs.ts";
import { limitText } from "./absences.ts";
import { answersText, answerText, anyOf } from "./answers.ts";
import { attemptText } from "./attempt-causes.ts";
import { caseCauseText } from "./causes.ts";
import { stoppingText } from "./stops.ts";

/** What any case may meet, and its fix; why a case was not run or not seen. */
const FAULTS = {
  closed: "it closes the connection without an answer: check its log for a crash",
  invalid_failed: "its code fails on this instead of refusing it: catch the error and answer 4xx",
  delivery_failed: "its code fails on a valid delivery: see its log",
  redirects: "it redirects, but senders do not follow redirects: check the final URL",
  conflict:
    "it refuses a valid delivery as a conflict, so the sender retries for ever: events may come late, twice and in any order",
  lost:
    "its code fails, and when the delivery is sent again it is confirmed but never runs: it marks an event as known before " +
    "it has stored or run it, so each failure loses one",
  runs_refused:
    "it refuses a forged event, but runs it: verify the signature before you do anything else",
  confirmed_never_ran: "the event was confirmed, but never ran: see DUP-04",
  confirmed_lost:
    "the event was confirmed, but never ran, so it is lost: store it before the answer, and see its log for what fails afterwards",
  control_not_confirmed: `not run: since ${CONTROL} was not confirmed, a refusal proves nothing`,
  receiver_stopped: "not run: the receiver stopped answering",
  no_observer: "cannot be seen without --observe",
  refused_after_repeats: "not seen: the receiver refused valid deliveries after it, too",
} as const satisfies Readonly<
  Record<Exclude<PlainFaultCode, "unauthorised" | "other_refusal_preferred">, string>
>;

/** What is wrong and how to fix it, or why the case was not applicable; `null` if it passed. */
export function faultText(result: CheckResult): string | null {
  const sentence = sentenceOf(result);
  return sentence === null ? null : sentence + detailsOf(result);
}

function sentenceOf({ fault, checkCase }: CheckResult): string | null {
  if (fault === null) return null;
  const { answers, best } = checkCase.expects;
  switch (fault.code) {
    case "silent":
      return `no answer within ${fault.timeout / 1000} s: answer as soon as the event is stored, and process it afterwards`;
    case "endless":
      return `its answer begins with ${fault.status}, but does not end within ${fault.timeout / 1000} s, so that the sender gives up and retries: end the response`;
    case "unreachable":
      return `no connection (${fault.detail}): check its log for a crash`;
    case "not_refused":
      return `${fault.status} does not refuse it: answer ${anyOf(best ?? answers)}`;
    case "not_200":
      return `${fault.status} does not confirm a delivery: answer exactly 200`;
    case "refused_otherwise":
      return `it refuses a valid delivery with ${fault.status}, which is not about its signature: see its log`;
    case "refused_for_another_reason":
      return `it refuses this for another reason than the signature (${answerText(fault.answer)}, and ${answerText(fault.refusal)} to a wrong signature): see its log`;
    case "unauthorised":
      return (
        "it refuses a validly signed delivery as unauthorised: its check uses something other than the raw body, or fails at " +
        `random; \`${ownCommand("sign")}\` prints what it should compute`
      );
    case "other_refusal_preferred":
      return `correctly refused, but answer ${anyOf(best ?? answers)} to tell the sender why`;
    case "slow":
      return `answered after ${durationText(fault.milliseconds)}, when a sender may have given up: answer as soon as the event is stored, and work later`;
    case "stopped_receiver":
      return stoppingText(fault.absence, fault.stops);
    case "not_observed":
      return `could not be observed: ${fault.detail}`;
    case "limited":
      return `not seen: ${limitText(fault.limit)}`;
    case "found":
      return attemptText(fault.found);
  }
  return isPlain(fault.code) ? FAULTS[fault.code] : caseCauseText(fault.code, checkCase.id);
}

function isPlain(code: keyof typeof FAULTS | CauseCode): code is keyof typeof FAULTS {
  return Object.hasOwn(FAULTS, code);
}

/** Which of several forgeries were confirmed, and how a failed delivery was answered once more. */
function detailsOf(result: CheckResult): string {
  if (!hasWrongAnswer(result)) return "";
  const { confirmed, answers, resent } = result;
  const isPart = confirmed.length > 0 && confirmed.length < answers.length;
  const which = isPart ? `; confirmed: ${confirmed.map(({ name }) => name).join(", ")}` : "";
  const then =
    resent === undefined ? "" : `; sent once more, it was answered ${answersText([resent.answer])}`;
  return which + then;
}

/** Of a fault with a common cause, only what distinguishes the result from others. */
export function distinctionText(result: CheckResult): string | null {
  const details = detailsOf(result);
  const at = details.lastIndexOf("confirmed: ");
  return at === -1 ? null : details.slice(at);
}

/** What an event that failed comes to, when the sender sends it again. */
export const LOST = FAULTS.lost;
