import { describeError } from "../../base/errors.ts";
import { ownCommand } from "../../base/package/own-command.ts";
import { MAX_DEPTH } from "../../event/canonical-json.ts";
import { type DataProblem, problemLine } from "../../event/data-problems.ts";
import type { RejectionReason } from "../../event/rejection.ts";
import type { UnfitReason } from "../../inbox/new-entry.ts";
import type { Outcome } from "../../receiver/outcome.ts";
import { refusalFor } from "../../receiver/refusals.ts";
import { SIGNATURE_REASONS } from "../../signature/signature-format.ts";

/** What became of a delivery, in one word, with the reason and the fix where it was refused. */
export interface Verdict {
  readonly word:
    | "accepted"
    | "duplicate"
    | "dead"
    | "rejected"
    | "unauthorized"
    | "refused"
    | "failed";
  readonly kind: string | null;
  readonly id: string | null;
  readonly reason: string | null;
  readonly detail: string | null;
  /** Which fields do not fit, and how; and numbers that a double does not hold. */
  readonly problems: readonly DataProblem[];
  readonly fix: string | null;
}

const EXACT = "let its handler read such numbers with exactNumber";

/** What to send instead of bytes that are not an event. */
const REJECTION_FIXES: Readonly<Record<RejectionReason, string>> = {
  empty_body: "send the event as the body; it may have got lost on the way",
  invalid_utf8: "send JSON in UTF-8",
  invalid_json: "send JSON in UTF-8",
  duplicate_key: "send each key of an object once",
  forbidden_key: "send it without that key",
  too_deep: `nest it at most ${MAX_DEPTH} levels deep`,
  invalid_envelope: "send an envelope: event, timestamp, data, webhook",
  invalid_timestamp: "send the time in UTC, such as 2026-01-31T12:00:00Z",
  too_old: "send it again with a newer timestamp, or retry it",
  future_timestamp: "set this machine's clock, then retry it",
};

const UNFIT_FIXES: Readonly<Record<UnfitReason, string>> = {
  invalid_data: "correct the schema or the sender",
  schema_failed: "mend the schema",
  inexact_number: EXACT,
};

export function verdictOf(outcome: Outcome): Verdict {
  const nothing = { kind: null, id: null, reason: null, detail: null, problems: [], fix: null };
  switch (outcome.type) {
    case "accepted": {
      const { kind, eventId: id, seq, duplicate, reason = null, problems = [] } = outcome;
      if (duplicate) return { ...nothing, word: "duplicate", kind, id };
      if (reason === null) {
        return {
          ...nothing,
          word: "accepted",
          kind,
          id,
          problems,
          fix: problems.length > 0 ? EXACT : null,
        };
      }
      const detail = summarise(problems);
      const retry = ownCommand(`events retry ${seq}`);
      const fix = `${UNFIT_FIXES[reason]}, then: ${retry}`;
      return { word: "dead", kind, id, reason, detail, problems, fix };
    }
    case "rejected": {
      const { reason, field, message } = outcome.rejection;
      const detail =
        field === undefined || message.startsWith(field) ? message : `${message} (${field})`;
      const id = outcome.eventId;
      return { ...nothing, word: "rejected", id, reason, detail, fix: REJECTION_FIXES[reason] };
    }
    case "unauthorized": {
      const { meaning, fix } = SIGNATURE_REASONS[outcome.reason];
      return { ...nothing, word: "unauthorized", reason: outcome.reason, detail: meaning, fix };
    }
    case "refused": {
      const { meaning, fix = null } = refusalFor(outcome.reason);
      return { ...nothing, word: "refused", reason: outcome.reason, detail: meaning, fix };
    }
    default:
      return {
        ...nothing,
        word: "failed",
        reason: outcome.type,
        detail: describeError(outcome.error),
      };
  }
}

/** The first problem, and how many more there are. */
export function summarise([first, ...others]: readonly DataProblem[]): string {
  if (first === undefined) return "data does not fit the schema of its kind";
  return `${problemLine(first)}${others.length === 0 ? "" : ` (and ${others.length} more)`}`;
}
