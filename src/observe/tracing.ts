import { type TracerProvider, trace } from "@opentelemetry/api";
import {
  aBoolean,
  type Check,
  checkMethods,
  checkOptions,
  oneOf,
} from "../base/options/check-options.ts";
import { VERSION } from "../base/package/version.ts";
import type { Tracing } from "../receiver/options/tracing.ts";
import { despiteSdk, traceAttempt, traceDelivery } from "./spans.ts";

/** Options of {@link createTracing}. */
export interface TracingOptions {
  /**
   * What makes the spans. Default: the one that your SDK has registered, even if it does so later.
   */
  readonly tracerProvider?: TracerProvider | undefined;
  /**
   * Whether a delivery without an active span becomes a child of the span that its `traceparent`
   * names. Anyone can send that header: set it only if a proxy of your own sets or removes it on
   * every request. Default `false`: a link.
   */
  readonly trustSender?: boolean | undefined;
  /**
   * `child`: attempts belong to the trace of their delivery, however much later they run. `link`:
   * each attempt is a trace with a link to the delivery's span. Default `child`.
   */
  readonly attempts?: "child" | "link" | undefined;
  /**
   * Whether spans have the messages of handlers' errors. They are your own code's, and may quote a
   * payload. Default `false`: only the error's name and its place in your code.
   */
  readonly errorMessages?: boolean | undefined;
}

const CHECKS: Readonly<Record<keyof TracingOptions, Check>> = {
  tracerProvider: (given, name) =>
    checkMethods(given, `${name} to be a tracer provider`, {
      required: ["getTracer"],
      fix: "pass the provider of your OpenTelemetry SDK, or leave it out for the registered one",
    }),
  trustSender: aBoolean,
  attempts: oneOf("child", "link"),
  errorMessages: aBoolean,
};

/**
 * Spans for a receiver, through `@opentelemetry/api`: one for each delivery, one for each attempt.
 * Handlers run in the attempt's context, so that spans of their own calls are its children. Without
 * an OpenTelemetry SDK it does nothing.
 *
 * @throws ConfigurationError `option_invalid`
 *
 * @example
 * ```ts
 * import { createReceiver } from "hookporter";
 * import { createTracing } from "hookporter/tracing";
 *
 * const receiver = createReceiver({ secret: process.env.HOOKPORTER_SECRET, tracing: createTracing() });
 * ```
 */
export function createTracing(options: TracingOptions = {}): Tracing {
  checkOptions(options, "the options of createTracing", CHECKS);
  const {
    tracerProvider,
    trustSender = false,
    attempts = "child",
    errorMessages = false,
  } = options;
  // Without a provider, the tracer is a proxy that finds the one that is registered later.
  const tracer = (tracerProvider ?? trace).getTracer("hookporter", VERSION);
  return {
    delivery: (delivery, source) =>
      despiteSdk(() => traceDelivery(delivery, tracer, { source, trustSender }), {
        ...NOTHING,
        delivery,
      }),
    attempt: (entry) => traceAttempt(entry, tracer, { attempts, errorMessages }),
  };
}

/** For when the SDK fails. */
const NOTHING = { run: <Result>(call: () => Result): Result => call(), end: () => {} };
