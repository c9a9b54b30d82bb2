import { shownTarget } from "../../base/text/shown-url.ts";
import { type DataProblem, problemLine } from "../../event/data-problems.ts";
import type { RefusalDiagnosis } from "../../inspector/live/refused-bodies.ts";
import { verdictOf } from "../../inspector/live/verdict.ts";
import type { DeliveryObservation } from "../../receiver/observation.ts";
import { toAnswer } from "../../receiver/response.ts";
import { type Output, printable } from "../output.ts";
import { diagnosisFields, isFirst, type ReportedFixes, refusalLines } from "./diagnosis-view.ts";
import type { ReportDetail } from "./reported-failures.ts";
import { beneath, type LiveRow, type RowStyle, rowLines } from "./row.ts";

/** How a delivery is shown. */
interface DeliveryTerms {
  /** The causes whose fix was printed. */
  readonly reported: ReportedFixes;
  readonly diagnosis?: RefusalDiagnosis;
  /** What was printed of why it is a dead letter. Default: nothing. */
  readonly detail?: ReportDetail;
}

/** An answered delivery as lines: one, and more with reason and fix if it was refused. */
export function deliveryLines(
  observation: DeliveryObservation,
  { reported: told, diagnosis, detail: telling = "whole" }: DeliveryTerms,
  style: RowStyle,
): readonly string[] {
  const { outcome, receivedAt, duration, method } = observation;
  const { word, kind, id, reason, detail, problems, fix } = verdictOf(outcome);
  const asked = `${method} ${shownTarget(observation.target)}`;
  const row: LiveRow = {
    time: receivedAt,
    mark: word,
    what: kind ?? (word === "refused" ? asked : word),
    duration,
    word: kind === null ? String(toAnswer(outcome).status) : word,
    seq: "seq" in outcome ? outcome.seq : undefined,
    id: id ?? undefined,
  };
  const remarks = remarksOn(outcome);
  if (typeof telling === "object") {
    // Those that are not events are alike if their reason is the same, but the field may be
    // another.
    const as = word === "rejected" ? `${printable(detail ?? "", 300)}, like` : "the same as";
    return rowLines({ ...row, more: [...remarks, `${as} #${telling.as}`] }, style);
  }
  const more = [...(problems.length > 0 && reason !== null ? [reason] : []), ...remarks];
  const lines = rowLines({ ...row, more }, style);
  if (reason === null && problems.length === 0) return lines;
  const because = problems.length > 0 ? problemLines(problems) : [explained(reason, detail)];
  if (diagnosis !== undefined)
    return [
      ...lines,
      ...beneath(refusalLines(diagnosis, { because, fix: fix ?? "" }, told), style),
    ];
  const isReported = fix === null || (row.seq === undefined && !isFirst(reason ?? "", told));
  return [
    ...lines,
    ...beneath([...because, ...(isReported ? [] : [`fix: ${printable(fix, 300)}`])], style),
  ];
}

export function recordDelivery(
  observation: DeliveryObservation,
  output: Output,
  diagnosis?: RefusalDiagnosis,
) {
  const { receivedAt, duration, bytes, outcome, method } = observation;
  const { word, kind, id, reason, detail, problems, fix } = verdictOf(outcome);
  output.record("delivery", {
    receivedAt: new Date(receivedAt).toISOString(),
    method,
    target: shownTarget(observation.target),
    verdict: word,
    kind,
    id,
    seq: "seq" in outcome ? outcome.seq : null,
    reason,
    detail,
    problems,
    fix,
    bytes,
    duration,
    secret: "secret" in outcome ? (outcome.secret?.role ?? null) : null,
    restampOf: "restampOf" in outcome ? (outcome.restampOf ?? null) : null,
    channel: "channel" in outcome ? (outcome.channel ?? null) : null,
    diagnosis: typeof diagnosis === "object" ? diagnosisFields(diagnosis) : (diagnosis ?? null),
  });
}

/** The number of problems that are printed one by one. */
const SHOWN = 5;

/** What does not fit a schema, as a few lines. */
export function problemLines(problems: readonly DataProblem[]): readonly string[] {
  const lines = problems.slice(0, SHOWN).map((problem) => printable(problemLine(problem), 300));
  const more = problems.length - lines.length;
  return more > 0 ? [...lines, `and ${more} more`] : lines;
}

/** What is special about how a delivery came. */
export function remarksOn(outcome: DeliveryObservation["outcome"]): readonly string[] {
  const { secret, restampOf, channel } = {
    secret: undefined,
    restampOf: undefined,
    channel: undefined,
    ...outcome,
  };
  return [
    ...(secret?.role === "previous" ? ["previous secret"] : []), // shows the progress of a rotation
    ...(restampOf === undefined ? [] : ["known content, new timestamp"]),
    ...(channel === undefined ? [] : [`over ${channel}, unsigned`]),
  ];
}

function explained(reason: string | null, detail: string | null): string {
  return detail === null ? (reason ?? "") : `${printable(detail, 300)} (${reason})`;
}
