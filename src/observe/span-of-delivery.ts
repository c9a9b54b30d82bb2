import { context, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from "@opentelemetry/api";
import type { Delivery } from "../event/delivery.ts";
import type { DeliveryTrace } from "../receiver/options/tracing.ts";
import type { Outcome } from "../receiver/outcome.ts";
import { despiteSdk } from "./despite-sdk.ts";
import { deliveryAttributes, errorType, outcomeAttributes, spanName } from "./span-attributes.ts";
import { below, linksTo, senderContext, trustedContext, withDeliveryContext } from "./trace-context.ts";

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
