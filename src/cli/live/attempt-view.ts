import { ownCommand } from "../../base/package/own-command.ts";
import { durationText } from "../../base/text/duration-text.ts";
import type { AttemptRecord } from "../../inbox/attempt-record.ts";
import { hasEnded } from "../../inbox/entry-state.ts";
import { durationOf } from "../../inbox/outline.ts";
import { reasonWords } from "../../inbox/reasons.ts";
import { onceText } from "../../inbox/target-wait.ts";
import type { AttemptObservation } from "../../receiver/observation.ts";
import { errorText, runFields } from "../events/entry-view.ts";
import { type Output, printable } from "../output.ts";
import { problemLines } from "./delivery-view.ts";
import type { ReportDetail } from "./reported-failures.ts";
import { beneath, type LiveRow, type RowStyle, rowLines } from "./row.ts";

/**
 * What an entry's handlers did, as lines: one, and more with errors, their places, and what to do.
 */
export function attemptLines(
  observation: AttemptObservation,
  { now, detail }: { readonly now: number; readonly detail: Exclude<ReportDetail, "nothing"> },
  style: RowStyle,
): readonly string[] {
  const { seq, eventId: id, kind, attempt, records, state, reason, problems, runAt } = observation;
  const bare: LiveRow = { time: now, seq, mark: state, what: kind ?? "not an event" };
  const row: LiveRow = { ...bare, duration: durationOf(records) ?? undefined, id };
  if (typeof detail === "object")
    return rowLines({ ...row, more: [`the same error as #${detail.as}`] }, style);
  const when = onceText(reason) ?? `in ${durationText(runAt - now)}`;
  const isOpen = !hasEnded(state);
  if (detail === "again" && isOpen)
    return rowLines({ ...bare, word: `same error, attempt ${attempt}, again ${when}` }, style);
  const lines = records.flatMap((record) => runLines(record, records.length > 1));
  if (state === "dead") {
    lines.push(...problemLines(problems));
    const because = `${reasonWords(reason ?? "")} (${reason})`;
    if (problems.length === 0) lines.push(records.length === 0 ? `${because}; not run` : because);
    lines.push(`fix the cause, then: ${ownCommand(`events retry ${seq}`)}`);
  }
  const head = isOpen ? { ...row, id: undefined, more: [`again ${when}`] } : row;
  const note = records.length === 1 ? notedBy(records[0]) : undefined;
  return [...rowLines({ ...head, note }, style), ...beneath(lines, style)];
}

export function recordAttempt(observation: AttemptObservation, output: Output): void {
  const { seq, eventId, kind, attempt, records, state, reason, problems, runAt } = observation;
  const again =
    !hasEnded(state) && onceText(reason) === undefined ? new Date(runAt).toISOString() : null;
  const runs = runFields(records);
  output.record("attempt", {
    seq,
    id: eventId,
    kind,
    attempt,
    runs,
    state,
    reason,
    problems,
    runAt: again,
  });
}

/** A run's error and its place, or what it noted; with the handler's name if there were several. */
function runLines(record: AttemptRecord, isOneOfMany: boolean): string[] {
  const { handler, outcome, error, failure, duration } = record;
  const name = isOneOfMany ? `${printable(handler, 200)}: ` : "";
  if (error !== null) {
    const at = failure?.at ?? null;
    const lines = [`${name}${printable(errorText(record), 500)}`];
    return at === null ? lines : [...lines, `at ${printable(at, 300)}`];
  }
  const noted = notedBy(record);
  return isOneOfMany
    ? [`${name}${outcome} ${durationText(duration)}${noted === undefined ? "" : `, ${noted}`}`]
    : [];
}

/**
 * The first line of a good run's note, which is a target's status; the rest may be a payload, which
 * `events show` prints.
 */
function notedBy({ error, note }: Partial<AttemptRecord> = {}): string | undefined {
  return error === null && note ? printable(note.split("\n", 1)[0] ?? "", 100) : undefined;
}
