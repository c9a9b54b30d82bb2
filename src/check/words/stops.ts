import { durationText } from "../../base/text/duration-text.ts";
import type { StopCode } from "../codes.ts";
import type { Absence } from "../reachable.ts";
import type { Stop } from "../stop.ts";
import { absenceText, limitText } from "./absences.ts";
import { SENT } from "./cases.ts";

/** Who can stop a receiver, and how to prevent it. */
const STOPS: Readonly<Record<StopCode, string>> = {
  hangup:
    "one unsigned sender that hangs up within its body stops the receiver: catch errors while reading (`try`/`catch`, `pipeline`)",
  large_body:
    "one unsigned sender of a large body stops the receiver: limit the size while you read, and catch errors (`try`/`catch`, `pipeline`)",
  signed:
    "any holder of the secret, such as the service, can stop the receiver: catch errors while you parse and handle an event, " +
    "and answer 4xx to one that is not valid",
  unsigned:
    "one unsigned sender can stop the receiver: catch errors while you read, verify and parse, and answer 4xx",
};

/** What a case did to a receiver that was gone afterwards. */
export function stoppingText(absence: Absence, stops: StopCode): string {
  return `${absenceText(absence)}: ${STOPS[stops]}`;
}

/** Why a run ended before its last case. */
export function stopText(stop: Stop): string {
  switch (stop.code) {
    case "silent":
      return `${stop.cases} cases in a row got no answer, the last was ${stop.by}`;
    case "endless":
      return `the answers to ${stop.cases} cases in a row did not end, the last to ${stop.by}`;
    case "out_of_time":
      return `before ${stop.by}: the time of the run was up (${durationText(stop.milliseconds)}); choose cases with --only, or raise --max-time`;
    case "limited":
      return `after ${stop.by}: ${limitText(stop.limit)}`;
    case "unreachable":
      return `after ${stop.by}: ${absenceText(stop.absence)}`;
    case "stopped_receiver":
      return `after ${stop.by}, ${SENT[stop.by]}: ${stoppingText(stop.absence, stop.stops)}`;
    case "not_begun":
      return `no case was run: ${stop.detail}`;
  }
}
