import {
  type Context,
  context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { AttemptTrace } from "../dispatch/runs/attempt-tracing.ts";
import type { ClaimedEntry } from "../inbox/claim.ts";
import type { Settlement } from "../inbox/settlement.ts";
import { despiteSdk } from "./despite-sdk.ts";
import {
  attemptAttributes,
  failureAttributes,
  failureType,
  settlementAttributes,
  spanName,
} from "./span-attributes.ts";
import { below, deliveryContext, linksTo, senderContext } from "./trace-context.ts";

export interface AttemptSpanTerms {
  /** Whether they belong to the trace of their delivery, or are linked to it. */
  readonly attempts: "child" | "link";
  readonly errorMessages: boolean;
}

/** The span of an attempt. It starts with the first handler: an entry that only has to wait leaves no span. */
export class SpanOfAttempt implements AttemptTrace {
  readonly #entry: ClaimedEntry;
  readonly #tracer: Tracer;
  readonly #terms: AttemptSpanTerms;
  #span: Span | undefined;
  #inside: Context = ROOT_CONTEXT;

  constructor(entry: ClaimedEntry, tracer: Tracer, terms: AttemptSpanTerms) {
    this.#entry = entry;
    this.#tracer = tracer;
    this.#terms = terms;
  }

  run<Result>(handler: () => Result): Result {
    despiteSdk(() => this.#start(), undefined);
    return context.with(this.#inside, handler);
  }

  end(settlement: Settlement | undefined): void {
    despiteSdk(() => this.#end(settlement), undefined);
  }

  #start(): Span {
    if (this.#span !== undefined) return this.#span;
    const { kind, delivery } = this.#entry;
    const received = deliveryContext(delivery.headers);
    const isChild = this.#terms.attempts === "child";
    // Not the active context: whatever woke this process may have nothing to do with this entry.
    const parent = below(ROOT_CONTEXT, isChild ? received : undefined);
    const links = linksTo(isChild ? undefined : received, senderContext(delivery.headers));
    const attributes = attemptAttributes(this.#entry);
    const span = this.#tracer.startSpan(
      spanName("process", kind),
      { kind: SpanKind.CONSUMER, attributes, links },
      parent,
    );
    this.#span = span;
    this.#inside = trace.setSpan(parent, span);
    return span;
  }

  #end(settlement: Settlement | undefined): void {
    if (this.#span === undefined && !hasEnded(settlement)) return;
    const span = this.#start();
    if (settlement === undefined) fail(span, "result_not_stored");
    else this.#endWith(span, settlement);
    span.end();
  }

  #endWith(span: Span, settlement: Settlement): void {
    span.setAttributes(settlementAttributes(settlement, this.#entry.attempts));
    const failed = settlement.records.filter(({ outcome }) => outcome !== "ok");
    for (const record of failed)
      span.addEvent("exception", failureAttributes(record, { messages: this.#terms.errorMessages }));
    const [first] = failed;
    if (first !== undefined) fail(span, failureType(first));
    else if (settlement.state === "dead") fail(span, settlement.reason ?? "dead");
  }
}

/** Whether an entry has ended, perhaps without a run. */
function hasEnded(settlement: Settlement | undefined): boolean {
  return settlement !== undefined && settlement.state !== "pending";
}

function fail(span: Span, type: string): void {
  span.setAttribute("error.type", type);
  span.setStatus({ code: SpanStatusCode.ERROR, message: type });
}
