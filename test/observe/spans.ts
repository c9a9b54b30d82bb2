import { context, propagation, trace } from "@opentelemetry/api";
import { UndiciInstrumentation } from "@opentelemetry/instrumentation-undici";
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-node";
import { afterAll, beforeEach, expect } from "vitest";
import { until } from "../receiver/sample.ts";

/** A real SDK for the tests of a file: what it exports, and functions to find spans in that. */
export function recordSpans() {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  provider.register(); // with AsyncLocalStorage, and W3C Trace Context for outgoing requests
  const requests = new UndiciInstrumentation(); // enabled by being made
  beforeEach(() => exporter.reset());
  afterAll(async () => {
    requests.disable();
    await provider.shutdown();
    for (const api of [trace, context, propagation]) api.disable();
  });
  const all = (): readonly ReadableSpan[] => exporter.getFinishedSpans();
  /** The spans of an operation, once there are as many as that, and no more. */
  const spans = async (operation: "receive" | "process" | "GET", count = 1) => {
    const found = () =>
      all().filter(({ name }) => name === operation || name.startsWith(`${operation} `));
    await until(() => expect(found().length).toBeGreaterThanOrEqual(count));
    expect(found()).toHaveLength(count);
    return found();
  };
  const span = async (operation: "receive" | "process" | "GET") => {
    const [only] = await spans(operation);
    if (only === undefined) throw new Error(`expected a span ${operation}, got none`);
    return only;
  };
  return { provider, exporter, all, spans, span };
}

/** The ids of a span's trace, of its parent and of its links. */
export function places(span: ReadableSpan) {
  return {
    trace: span.spanContext().traceId,
    parent: span.parentSpanContext?.spanId,
    links: span.links.map(({ context: { traceId, spanId } }) => `${traceId} ${spanId}`),
  };
}
