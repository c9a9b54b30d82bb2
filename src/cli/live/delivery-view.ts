import { verdictOf } from "../../inspector/live/verdict.ts";
import { ownCommand } from "../../package/own-command.ts";
import type { DeliveryObservation } from "../../receiver/observation.ts";
import { toAnswer } from "../../receiver/response.ts";
import type { Diagnosis } from "../../signature/diagnose/diagnose.ts";
import { shownUrl } from "../../text/shown-url.ts";
import type { Output } from "../output.ts";
import { printable } from "../printable.ts";
import { diagnosisFields, refusalLines } from "./diagnosis-view.ts";
import { problemLines } from "./problem-lines.ts";
import { beneath, type LiveRow, type Mark, type RowStyle, rowLines } from "./row.ts";
import type { ToldFixes } from "./told-fixes.ts";

/** Why a signature does not match; `left_out` if there were too many to diagnose, `undefined` if it matches. */
type ShownDiagnosis = Diagnosis | "left_out" | undefined;

const MARKS = {
  ...{ accepted: "received", duplicate: "duplicate", dead: "failed", rejected: "failed", failed: "failed" },
  ...{ unauthorized: "refused", refused: "refused" },
} as const satisfies Record<ReturnType<typeof verdictOf>["word"], Mark>;

/** An answered delivery as lines: one, and more with reason and fix if it was refused. */
export function deliveryLines(
  observation: DeliveryObservation,
  told: ToldFixes,
  style: RowStyle,
  diagnosis?: ShownDiagnosis,
): readonly string[] {
  const { outcome, receivedAt, duration, method } = observation;
  const { word, kind, id, reason, detail, problems, fix } = verdictOf(outcome);
  const asked = `${method} ${shownUrl(observation.target)}`;
  const what = kind ?? (word === "refused" ? asked : word);
  const row: LiveRow = {
    ...{ time: receivedAt, mark: MARKS[word], what: printable(what, 60), duration },
    word: kind === null ? String(toAnswer(outcome).status) : word,
    seq: "seq" in outcome ? outcome.seq : null,
    id: id === null ? null : printable(id, 60),
    more: [...(problems.length > 0 && reason !== null ? [reason] : []), ...remarks(outcome)],
  };
  if (reason === null && problems.length === 0) return rowLines(row, style);
  const because = problems.length > 0 ? problemLines(problems) : [explained(reason, detail)];
  const lines =
    diagnosis === undefined
      ? [...because, ...fixLines(reason, fix, told)]
      : refusalLines(diagnosis, { because, fix: fix ?? "" }, told);
  return [...rowLines(row, style), ...beneath(lines, style)];
}

export function recordDelivery(
  observation: DeliveryObservation,
  output: Output,
  diagnosis?: ShownDiagnosis,
): void {
  const { receivedAt, duration, bytes, outcome, method } = observation;
  const { word, kind, id, reason, detail, problems, fix } = verdictOf(outcome);
  output.record("delivery", {
    ...{ receivedAt: new Date(receivedAt).toISOString(), method, target: shownUrl(observation.target) },
    ...{ verdict: word, kind, id, seq: "seq" in outcome ? outcome.seq : null },
    ...{ reason, detail, problems, fix, bytes, duration },
    secret: "secret" in outcome ? (outcome.secret?.role ?? null) : null,
    restampOf: "restampOf" in outcome ? (outcome.restampOf ?? null) : null,
    channel: "channel" in outcome ? (outcome.channel ?? null) : null,
    diagnosis: typeof diagnosis === "object" ? diagnosisFields(diagnosis) : (diagnosis ?? null),
  });
}

/** What is special about how a delivery came. */
function remarks(outcome: DeliveryObservation["outcome"]): readonly string[] {
  const { secret, restampOf, channel } = {
    ...{ secret: undefined, restampOf: undefined, channel: undefined },
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

/** A fix that ends with the entry's own command is not the same each time. */
function fixLines(reason: string | null, fix: string | null, told: ToldFixes): readonly string[] {
  if (fix === null) return [];
  return told.isTold(reason ?? "kept") && !fix.includes(ownCommand("events"))
    ? []
    : [`fix: ${printable(fix, 300)}`];
}
