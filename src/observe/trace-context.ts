import {
  type Context,
  createTraceState,
  isSpanContextValid,
  type Link,
  type SpanContext,
  trace,
} from "@opentelemetry/api";
import { type DeliveryHeaders, TRACE_HEADER } from "../event/delivery.ts";

/** Version, trace id, span id, flags; later versions may append more. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?=-|$)/;

/** The span that the sender named in `traceparent`, if its value is valid (W3C Trace Context). */
export function senderContext(headers: DeliveryHeaders): SpanContext | undefined {
  return readTraceparent(headers.traceparent);
}

/** As {@link senderContext}, with `tracestate`: for a sender that may decide about the trace. */
export function trustedContext(headers: DeliveryHeaders): SpanContext | undefined {
  const context = senderContext(headers);
  const { tracestate } = headers;
  if (context === undefined || typeof tracestate !== "string") return context;
  return { ...context, traceState: createTraceState(tracestate) };
}

/** The span under which a stored delivery was received, if it was received with tracing. */
export function deliveryContext(headers: DeliveryHeaders): SpanContext | undefined {
  return readTraceparent(headers[TRACE_HEADER]);
}

/** Headers that lead back to a span, or the same ones if there is no such span. */
export function withDeliveryContext(headers: DeliveryHeaders, span: SpanContext): DeliveryHeaders {
  if (!isSpanContextValid(span)) return headers;
  const flags = span.traceFlags.toString(16).padStart(2, "0");
  return { ...headers, [TRACE_HEADER]: `00-${span.traceId}-${span.spanId}-${flags}` };
}

export function below(outer: Context, span: SpanContext | undefined): Context {
  return span === undefined ? outer : trace.setSpanContext(outer, span);
}

export function linksTo(...spans: readonly (SpanContext | undefined)[]): Link[] {
  return spans.flatMap((span) => (span === undefined ? [] : [{ context: span }]));
}

function readTraceparent(value: DeliveryHeaders[string]): SpanContext | undefined {
  if (typeof value !== "string") return undefined;
  const match = TRACEPARENT.exec(value);
  if (match === null || (value.startsWith("00") && value.length !== match[0].length)) return undefined;
  const [, traceId = "", spanId = "", flags = ""] = match;
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(context) ? context : undefined;
}
