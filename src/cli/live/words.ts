import { problemLine } from "../../event/data-problems.ts";
import { verdictOf } from "../../inspector/live/verdict.ts";
import type { Observation } from "../../receiver/observation.ts";
import { shownUrl } from "../../text/shown-url.ts";

/** The words that the live view's filter is applied to: those that an observation is shown with. */
export function wordsOf(observation: Observation): string {
  if (observation.type === "attempt") {
    const { seq, kind, eventId, state, reason, problems, records } = observation;
    const runs = records.map(({ handler, outcome, error, failure }) =>
      [handler, outcome, failure?.name, error, failure?.at].join(" "),
    );
    return [`#${seq}`, kind, eventId, state, reason, ...problems.map(problemLine), ...runs].join(" ");
  }
  const { outcome, method, target } = observation;
  const { word, kind, id, reason, detail, problems } = verdictOf(outcome);
  const seq = "seq" in outcome ? `#${outcome.seq}` : "";
  const because = [reason, detail, ...problems.map(problemLine)];
  return [seq, word, kind, id, ...because, method, shownUrl(target)].join(" ");
}
