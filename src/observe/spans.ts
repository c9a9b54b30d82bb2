import {
  type Context,
  context,
  diag,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { AttemptTrace } from "../dispatch/runs/attempt-tracing.ts";
import type { Delivery } from "../event/delivery.ts";
import type { ClaimedEntry } from "../inbox/claim.ts";
import type { Settlement } from "../inbox/settlement.ts";
import type { DeliveryTrace } from "../receiver/options/tracing.ts";
import type { Outcome } from "../receiver/outcome.ts";
import {
  attemptAttributes,
  deliveryAttributes,
  errorType,
  failureAttributes,
  failureType,
  outcomeAttributes,
  settlementAttributes,
  spanName,
} from "./span-attributes.ts";
import {
  below,
  deliveryContext,
  linksTo,
  senderContext,
  trustedContext,
  withDeliveryContext,
} from "./trace-context.ts";

interface AttemptTerms {
  /** Whether they belong to the trace of their delivery, or are linked to it. */
  readonly attempts: "child" | "link";
  readonly errorMessages: boolean;
}

/** The span of an attempt. It starts with the first handler: an entry that only has to wait leaves no span. */
export function traceAttempt(
  entry: ClaimedEntry,
  tracer: Tracer,
  { attempts, errorMessages }: AttemptTerms,
): AttemptTrace {
  let started: Span | undefined;
  let inside: Context = ROOT_CONTEXT;
  const start = () => {
    if (started !== undefined) return started;
    const { headers } = entry.delivery;
    const received = deliveryContext(headers);
    const isChild = attempts === "child";
    // Not the active context: whatever woke this process may have nothing to do with this entry.
    const parent = below(ROOT_CONTEXT, isChild ? received : undefined);
    const links = linksTo(isChild ? undefined : received, senderContext(headers));
    const attributes = attemptAttributes(entry);
    const name = spanName("process", entry.kind);
    started = tracer.startSpan(name, { kind: SpanKind.CONSUMER, attributes, links }, parent);
    inside = trace.setSpan(parent, started);
    return started;
  };
  const end = (settlement: Settlement | undefined) => {
    const hasEnded = settlement !== undefined && settlement.state !== "pending"; // perhaps without a run
    if (started === undefined && !hasEnded) return;
    const span = start();
    if (settlement === undefined) fail(span, "result_not_stored");
    else endWith(settlement, span);
    span.end();
  };
  const endWith = (settlement: Settlement, span: Span) => {
    span.setAttributes(settlementAttributes(settlement, entry.attempts));
    const failed = settlement.records.filter(({ outcome }) => outcome !== "ok");
    for (const record of failed)
      span.addEvent("exception", failureAttributes(record, { messages: errorMessages }));
    const [first] = failed;
    if (first !== undefined) fail(span, failureType(first));
    else if (settlement.state === "dead") fail(span, settlement.reason ?? "dead");
  };
  return {
    run: (handler) => {
      despiteSdk(start, undefined);
      return context.with(inside, handler);
    },
    end: (settlement) => despiteSdk(() => end(settlement), undefined),
  };
}

function fail(span: Span, type: string): void {
  span.setAttribute("error.type", type);
  span.setStatus({ code: SpanStatusCode.ERROR, message: type });
}

interface DeliveryTerms {
  readonly source: string;
  readonly trustSender: boolean;
}

/** Starts the span of a delivery: below the active span, such as that of the request, if there is one. */
export function traceDelivery(
  delivery: Delivery,
  tracer: Tracer,
  { source, trustSender }: DeliveryTerms,
): DeliveryTrace {
  const { headers } = delivery;
  const active = context.active();
  const isOutermost = trace.getSpan(active) === undefined;
  const parent = trustSender && isOutermost ? below(active, trustedContext(headers)) : active;
  const attributes = deliveryAttributes(delivery, source);
  const links = linksTo(senderContext(headers));
  const name = spanName("receive", null);
  const span = tracer.startSpan(name, { kind: SpanKind.CONSUMER, attributes, links }, parent);
  const inside = trace.setSpan(parent, span);
  return {
    delivery: { ...delivery, headers: withDeliveryContext(headers, span.spanContext()) },
    run: (accept) => context.with(inside, accept),
    end: (outcome) => despiteSdk(() => endWith(outcome, span), undefined),
  };
}

function endWith(outcome: Outcome, span: Span): void {
  span.setAttributes(outcomeAttributes(outcome));
  if (outcome.type === "accepted" || outcome.type === "rejected") {
    span.updateName(spanName("receive", outcome.kind));
  }
  // As for HTTP servers, a mistake of the sender is no error of this span.
  if (outcome.type === "unavailable" || outcome.type === "misconfigured") {
    span.setStatus({ code: SpanStatusCode.ERROR, message: errorType(outcome) ?? outcome.type });
  }
  span.end();
}

/** Calls what the user's SDK may fail in: that must not cost a delivery, so it goes to OpenTelemetry's diagnostics. */
export function despiteSdk<Result>(call: () => Result, otherwise: Result): Result {
  try {
    return call();
  } catch (thrown) {
    diag.error("hookporter: a span could not be made", thrown);
    return otherwise;
  }
}
