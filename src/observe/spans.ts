import {
  type Context,
  context,
  createTraceState,
  diag,
  isSpanContextValid,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { AttemptTrace } from "../dispatch/plan/attempt-tracing.ts";
import { type Delivery, type DeliveryHeaders, TRACE_HEADER } from "../event/delivery.ts";
import type { ClaimedEntry } from "../inbox/claim.ts";
import { hasEnded } from "../inbox/entry-state.ts";
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

/**
 * The span of an attempt. It starts with the first handler: an entry that only has to wait leaves
 * no span.
 */
export function traceAttempt(
  entry: ClaimedEntry,
  tracer: Tracer,
  { attempts, errorMessages }: { attempts: "child" | "link"; errorMessages: boolean },
): AttemptTrace {
  let started: Span | undefined;
  let inside: Context = ROOT_CONTEXT;
  const start = () => {
    if (started !== undefined) return started;
    const { headers } = entry.delivery;
    // there if it was received with tracing
    const received = readTraceparent(headers[TRACE_HEADER]);
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
    const isOver = settlement !== undefined && hasEnded(settlement.state); // perhaps without a run
    if (started === undefined && !isOver) return;
    const span = start();
    if (settlement === undefined) fail(span, "result_not_stored");
    else endWith(settlement, span);
    span.end();
  };
  const endWith = (settlement: Settlement, span: Span) => {
    span.setAttributes(settlementAttributes(settlement));
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

/**
 * Starts the span of a delivery: below the active span, such as that of the request, if there is
 * one.
 */
export function traceDelivery(
  delivery: Delivery,
  tracer: Tracer,
  { source, trustSender }: { source: string; trustSender: boolean },
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

/**
 * Calls what the user's SDK may fail in: that must not cost a delivery, so it goes to
 * OpenTelemetry's diagnostics.
 */
export function despiteSdk<Result>(call: () => Result, otherwise: Result): Result {
  try {
    return call();
  } catch (thrown) {
    diag.error("hookporter: a span could not be made", thrown);
    return otherwise;
  }
}

/** Version, trace id, span id, flags; later versions may append more. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?=-|$)/;

/** The span that the sender named in `traceparent`, if its value is valid (W3C Trace Context). */
function senderContext(headers: DeliveryHeaders): SpanContext | undefined {
  return readTraceparent(headers.traceparent);
}

/** As {@link senderContext}, with `tracestate`: for a sender that may decide about the trace. */
function trustedContext(headers: DeliveryHeaders): SpanContext | undefined {
  const context = senderContext(headers);
  const { tracestate } = headers;
  if (context === undefined || typeof tracestate !== "string") return context;
  return { ...context, traceState: createTraceState(tracestate) };
}

/** Headers that lead back to a span, or the same ones if there is no such span. */
function withDeliveryContext(headers: DeliveryHeaders, span: SpanContext): DeliveryHeaders {
  if (!isSpanContextValid(span)) return headers;
  const flags = span.traceFlags.toString(16).padStart(2, "0");
  return { ...headers, [TRACE_HEADER]: `00-${span.traceId}-${span.spanId}-${flags}` };
}

function below(outer: Context, span: SpanContext | undefined): Context {
  return span === undefined ? outer : trace.setSpanContext(outer, span);
}

function linksTo(...spans: readonly (SpanContext | undefined)[]): Link[] {
  return spans.flatMap((span) => (span === undefined ? [] : [{ context: span }]));
}

function readTraceparent(value: DeliveryHeaders[string]): SpanContext | undefined {
  if (typeof value !== "string") return undefined;
  const match = TRACEPARENT.exec(value);
  if (match === null || (value.startsWith("00") && value.length !== match[0].length))
    return undefined;
  const [, traceId = "", spanId = "", flags = ""] = match;
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(context) ? context : undefined;
}
