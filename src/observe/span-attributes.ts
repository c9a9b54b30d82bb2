import type { Attributes } from "@opentelemetry/api";
import type { Delivery } from "../event/delivery.ts";
import { isEventKind } from "../event/kinds.ts";
import type { AttemptRecord } from "../inbox/attempt-record.ts";
import type { ClaimedEntry } from "../inbox/claim.ts";
import type { Settlement } from "../inbox/settlement.ts";
import type { Outcome } from "../receiver/outcome.ts";
import { reasonOf } from "./outcome-labels.ts";

/**
 * What is known of a span, as OpenTelemetry's messaging conventions name it; the rest begins with
 * `hookporter.`.
 */
function operation(name: "receive" | "process"): Attributes {
  return {
    "messaging.system": "hookporter",
    "messaging.operation.name": name,
    "messaging.operation.type": name,
  };
}

/** The name of a span: with the kind, unless that is one of endlessly many. */
export function spanName(operation: "receive" | "process", kind: string | null): string {
  return kind !== null && isEventKind(kind) ? `${operation} ${kind}` : operation;
}

/** What is known when a delivery was read. Nothing of its body, its headers or its target. */
export function deliveryAttributes({ body }: Delivery, source: string): Attributes {
  return {
    ...operation("receive"),
    "messaging.message.body.size": body.byteLength,
    "hookporter.source": source,
  };
}

/** Why a delivery is not kept as it should be: a code, or the name of an error without one. */
export function errorType(outcome: Outcome): string | undefined {
  return reasonOf(outcome) ?? ("error" in outcome ? outcome.error.name : undefined);
}

/** What a delivery has become. */
export function outcomeAttributes(outcome: Outcome): Attributes {
  const { type } = outcome;
  const reason = errorType(outcome);
  const isKept = type === "accepted" || type === "rejected";
  return {
    "hookporter.outcome": type,
    ...(reason !== undefined && { "hookporter.reason": reason }),
    ...(reason !== undefined && type !== "accepted" && { "error.type": reason }),
    ...(isKept && {
      ...kindAttributes(outcome.kind),
      "messaging.message.id": outcome.eventId,
      "hookporter.entry": outcome.seq,
      "hookporter.duplicate": outcome.duplicate,
      ...(outcome.secret !== undefined && { "hookporter.secret": outcome.secret.role }),
      ...(outcome.channel !== undefined && { "hookporter.channel": outcome.channel }),
    }),
  };
}

/** What is known when an entry is about to run. */
export function attemptAttributes({
  key,
  kind,
  seq,
  attempts,
  delivery,
}: ClaimedEntry): Attributes {
  return {
    ...operation("process"),
    ...kindAttributes(kind),
    "messaging.message.id": key.eventId,
    "messaging.message.body.size": delivery.body.byteLength,
    "hookporter.source": key.source,
    "hookporter.entry": seq,
    "hookporter.attempt": attempts,
  };
}

export function settlementAttributes({ state, reason, records }: Settlement): Attributes {
  return {
    "hookporter.state": state,
    ...(reason !== null && { "hookporter.reason": reason }),
    ...(records.length > 0 && { "hookporter.handlers": records.map(({ handler }) => handler) }),
  };
}

/**
 * A handler's failure, as the conventions for exceptions name it. The message is the user's own,
 * and may quote a payload.
 */
export function failureAttributes(
  record: AttemptRecord,
  { messages }: { readonly messages: boolean },
) {
  const { handler, error, failure } = record;
  return {
    "exception.type": failureType(record),
    "hookporter.handler": handler,
    ...(failure?.at != null && { "hookporter.at": failure.at }),
    ...(messages && error !== null && { "exception.message": error }),
  };
}

/** The name of the error, or `timeout`. */
export function failureType({ outcome, failure }: AttemptRecord): string {
  return failure?.name ?? (outcome === "timeout" ? outcome : "Error");
}

function kindAttributes(kind: string | null): Attributes {
  return kind === null ? {} : { "messaging.destination.name": kind };
}
