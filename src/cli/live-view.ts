import { describeError } from "../errors.ts";
import type { REJECTION_REASONS } from "../event/read-envelope.ts";
import type { AttemptObservation, DeliveryObservation } from "../receiver/observation.ts";
import type { Outcome, RefusalReason } from "../receiver/outcome.ts";
import { SIGNATURE_REASONS } from "../signature/verify.ts";
import { runFields } from "./entry-view.ts";
import type { Output } from "./output.ts";
import { printable } from "./printable.ts";

/** What became of a delivery, in one word, with the reason and the fix where it was refused. */
interface Verdict {
  readonly word: "accepted" | "duplicate" | "dead" | "rejected" | "unauthorized" | "refused" | "failed";
  readonly kind: string | null;
  readonly id: string | null;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly fix: string | null;
}

const REFUSALS: Readonly<Record<RefusalReason, string>> = {
  wrong_path: "send to the path this receiver listens on",
  wrong_method: "send with POST",
  too_slow: "the body did not arrive in time",
  too_large: "the body is over the size limit",
  content_encoding: "send the body without Content-Encoding: the signature covers the plain bytes",
  aborted: "the sender closed the connection before the body was complete",
};

/** Shows an answered delivery: one line, and one more with reason and fix where it was refused. */
export function showDelivery(observation: DeliveryObservation, output: Output): void {
  const { receivedAt, durationMs, bytes, outcome, method, target } = observation;
  const { word, kind, id, reason, detail, fix } = verdictOf(outcome);
  const { color } = output;
  const paint = { accepted: color.green, duplicate: color.yellow }[word as string] ?? color.red;
  const what = kind ?? (word === "refused" ? `${method} ${target}` : "-");
  const name = id ?? "-";
  output.data(
    `${color.dim(clockTime(receivedAt))}  ${printable(what, 60).padEnd(20)}  ${printable(name, 60)}  ` +
      `${paint(word)}  ${color.dim(`${durationMs} ms`)}`,
  );
  if (reason !== null) {
    const because = detail === null ? "" : `: ${printable(detail, 300)}`;
    output.data(
      `          ${color.red(reason)}${because}${fix === null ? "" : `\n          fix: ${printable(fix, 300)}`}`,
    );
  }
  output.record("delivery", {
    ...{ receivedAt: new Date(receivedAt).toISOString(), method, target, verdict: word, kind, id },
    ...{ seq: "seq" in outcome ? outcome.seq : null, reason, detail, fix, bytes, durationMs },
    secret: "secret" in outcome ? outcome.secret.role : null,
  });
}

/** Shows what an entry's handlers did: one line per run, and what becomes of it where they failed. */
export function showAttempt(observation: AttemptObservation, output: Output, now: number): void {
  const { seq, eventId, kind, attempt, records, state, reason, runAt } = observation;
  const { color } = output;
  const time = color.dim(clockTime(now));
  for (const { handler, outcome, durationMs, error } of records) {
    const word = outcome === "ok" ? color.green("handled") : color.red(outcome);
    const why = error === null ? "" : `  ${printable(error, 300)}`;
    output.data(
      `${time}  ${printable(kind ?? "-", 60).padEnd(20)}  ${printable(eventId, 60)}  ${word}  ` +
        `${color.dim(`${printable(handler)} attempt ${attempt} ${durationMs} ms`)}${why}`,
    );
  }
  if (state === "pending")
    output.data(`          ${color.yellow(`runs again in ${Math.max(0, runAt - now)} ms`)}`);
  if (state === "dead") {
    output.data(
      `          ${color.red(`dead letter: ${reason}`)}  fix the cause, then: hookporter events redrive ${seq}`,
    );
  }
  const again = state === "pending" ? new Date(runAt).toISOString() : null;
  const runs = runFields(records);
  output.record("attempt", { seq, id: eventId, kind, attempt, runs, state, reason, runAt: again });
}

function verdictOf(outcome: Outcome): Verdict {
  const nothing = { kind: null, id: null, reason: null, detail: null, fix: null };
  switch (outcome.type) {
    case "accepted": {
      const { kind, eventId: id, duplicate, reason = null } = outcome;
      if (duplicate) return { ...nothing, word: "duplicate", kind, id };
      if (reason === null) return { ...nothing, word: "accepted", kind, id };
      const fix = "mend the schema, then redrive it";
      return { word: "dead", kind, id, reason, detail: "data does not fit the schema of its kind", fix };
    }
    case "rejected": {
      const { reason, field, message } = outcome.rejection;
      const detail = field === undefined ? message : `${message} (${field})`;
      const fix = rejectionFix(reason);
      return { ...nothing, word: "rejected", id: outcome.eventId, reason, detail, fix };
    }
    case "unauthorized": {
      const { meaning, fix } = SIGNATURE_REASONS[outcome.reason];
      return { ...nothing, word: "unauthorized", reason: outcome.reason, detail: meaning, fix };
    }
    case "refused":
      return { ...nothing, word: "refused", reason: outcome.reason, fix: REFUSALS[outcome.reason] };
    default:
      return { ...nothing, word: "failed", reason: outcome.type, detail: describeError(outcome.error) };
  }
}

function rejectionFix(reason: keyof typeof REJECTION_REASONS): string {
  if (reason === "too_old") return "send it again with a newer timestamp, or redrive it";
  if (reason === "future_timestamp") return "set this machine's clock, then redrive it";
  return "send an envelope: event, timestamp, data, webhook";
}

function clockTime(instant: number): string {
  return new Date(instant).toTimeString().slice(0, 8);
}
