import { type DataProblem, problemLine } from "../../event/data-problems.ts";
import { TARGET_AWAY } from "../../inbox/target-wait.ts";
import { verdictOf } from "../../inspector/verdict.ts";
import type { AttemptObservation, DeliveryObservation, Observation } from "../../receiver/observation.ts";
import { shownUrl } from "../../shown-url.ts";
import type { Diagnosis } from "../../signature/diagnose/diagnose.ts";
import { errorText, runFields } from "../events/entry-view.ts";
import type { Output } from "../output.ts";
import { printable } from "../printable.ts";
import { diagnosisFields, diagnosisLines } from "./diagnosis-view.ts";

/**
 * Prints an answered delivery: one line, and more with reason and fix if it was refused.
 *
 * @param diagnosis - why the signature does not match; `left_out` if there were too many to diagnose
 */
export function showDelivery(
  observation: DeliveryObservation,
  output: Output,
  diagnosis?: Diagnosis | "left_out",
): void {
  const { receivedAt, durationMs, bytes, outcome, method } = observation;
  const target = shownUrl(observation.target);
  const { word, kind, id, reason, detail, problems, fix } = verdictOf(outcome);
  const { color } = output;
  const paint = { accepted: color.green, duplicate: color.yellow }[word as string] ?? color.red;
  const what = kind ?? (word === "refused" ? `${method} ${target}` : "-");
  const name = id ?? "-";
  const secret = "secret" in outcome ? (outcome.secret?.role ?? null) : null;
  const channel = "channel" in outcome ? (outcome.channel ?? null) : null;
  const unsigned = channel === null ? "" : color.dim(`  over ${channel}, unsigned`);
  const old = secret === "previous" ? color.yellow("  previous secret") : ""; // shows the progress of a rotation
  const restampOf = "restampOf" in outcome ? (outcome.restampOf ?? null) : null;
  const restamped = restampOf === null ? "" : color.dim("  known content, new timestamp");
  output.data(
    `${color.dim(clockTime(receivedAt))}  ${printable(what, 60).padEnd(20)}  ${printable(name, 60)}  ` +
      `${paint(word)}  ${color.dim(`${durationMs} ms`)}${old}${restamped}${unsigned}`,
  );
  if (reason !== null) {
    const because = detail === null || problems.length > 0 ? "" : `: ${printable(detail, 300)}`;
    const lines = [`${color.red(reason)}${because}`, ...problemLines(problems), ...moreLines(fix, diagnosis)];
    output.data(lines.map((line) => `          ${line}`).join("\n"));
  }
  output.record("delivery", {
    ...{ receivedAt: new Date(receivedAt).toISOString(), method, target, verdict: word, kind, id },
    ...{ seq: "seq" in outcome ? outcome.seq : null, reason, detail, problems, fix, bytes, durationMs },
    ...{ secret, restampOf, channel },
    diagnosis: typeof diagnosis === "object" ? diagnosisFields(diagnosis) : (diagnosis ?? null),
  });
}

function moreLines(fix: string | null, diagnosis: Diagnosis | "left_out" | undefined): readonly string[] {
  const general = fix === null ? [] : [`fix: ${printable(fix, 300)}`];
  if (diagnosis === undefined) return general;
  if (diagnosis !== "left_out") {
    const more = diagnosis.explanations.length === 0 && !diagnosis.complete;
    return [
      ...diagnosisLines(diagnosis, fix ?? ""),
      ...(more ? ["`hookporter verify` tries more combinations"] : []),
    ];
  }
  return [...general, "not diagnosed: too many at once; run `hookporter verify` to find out why one fails"];
}

/** The number of problems that are printed one by one. */
const SHOWN_PROBLEMS = 5;

function problemLines(problems: readonly DataProblem[]): readonly string[] {
  const lines = problems.slice(0, SHOWN_PROBLEMS).map((problem) => printable(problemLine(problem), 300));
  const more = problems.length - lines.length;
  return [...lines, ...(more > 0 ? [`and ${more} more`] : [])].map((line) => `  ${line}`);
}

/**
 * Prints what an entry's handlers did: one line per run, and the entry's future if they failed.
 *
 * @param repeats - whether every error is the one that was printed for the attempt before: then it is not printed again
 */
export function showAttempt(
  observation: AttemptObservation,
  output: Output,
  now: number,
  repeats = false,
): void {
  const { seq, eventId, kind, attempt, records, state, reason, problems, runAt } = observation;
  const { color } = output;
  const time = color.dim(clockTime(now));
  const event = `${time}  ${printable(kind ?? "-", 60).padEnd(20)}  ${printable(eventId, 60)}`;
  for (const record of records) {
    const { handler, outcome, durationMs, error, note } = record;
    const word = outcome === "ok" ? color.green("handled") : color.red(outcome);
    // The first line of a note is a target's status; the rest may be a payload, which `events show` prints.
    const noted = note === null ? "" : `  ${printable(note.split("\n", 1)[0] ?? "", 100)}`;
    if (repeats && error !== null && state === "pending") {
      const told = `same error, attempt ${attempt}, again in ${nextTry(observation, now)}`;
      output.data(`${event}  ${word}  ${color.dim(printable(handler))}  ${color.yellow(told)}`);
      continue;
    }
    const why = error === null ? noted : `  ${printable(errorText(record), 500)}`;
    output.data(
      `${event}  ${word}  ${color.dim(`${printable(handler)} attempt ${attempt} ${durationMs} ms`)}${why}`,
    );
    const at = record.failure?.at ?? null;
    if (at !== null) output.data(`          at ${printable(at, 300)}`);
  }
  if (state === "pending" && !repeats)
    output.data(`          ${color.yellow(`runs again in ${nextTry(observation, now)}`)}`);
  if (state === "dead") {
    if (records.length === 0) output.data(`${event}  ${color.red("not run")}`);
    for (const line of problemLines(problems)) output.data(`        ${line}`);
    output.data(
      `          ${color.red(`dead letter: ${reason}`)}  fix the cause, then: hookporter events redrive ${seq}`,
    );
  }
  const again = state === "pending" && reason !== TARGET_AWAY ? new Date(runAt).toISOString() : null;
  const runs = runFields(records);
  output.record("attempt", { seq, id: eventId, kind, attempt, runs, state, reason, problems, runAt: again });
}

/** When a pending entry runs again; a target that is away is tried every second. */
function nextTry({ reason, runAt }: AttemptObservation, now: number): string {
  return reason === TARGET_AWAY ? "turn, once its target answers" : inSeconds(runAt - now);
}

/** The words that the live view's filter is applied to: those that an observation is shown with. */
export function wordsOf(observation: Observation): string {
  if (observation.type === "attempt") {
    const { kind, eventId, state, reason, problems, records } = observation;
    const runs = records.map(({ handler, outcome, error, failure }) =>
      [handler, outcome, failure?.name, error, failure?.at].join(" "),
    );
    return [kind, eventId, state, reason, ...problems.map(problemLine), ...runs].join(" ");
  }
  const { word, kind, id, reason, detail, problems } = verdictOf(observation.outcome);
  return [
    word,
    kind,
    id,
    reason,
    detail,
    ...problems.map(problemLine),
    observation.method,
    shownUrl(observation.target),
  ].join(" ");
}

/** A wait in words: `850 ms`, `6.8 s`, `4 m`. */
function inSeconds(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  return ms < 120_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60_000)} m`;
}

/** The time of day at the beginning of a line. */
export function clockTime(instant: number): string {
  return new Date(instant).toTimeString().slice(0, 8);
}
