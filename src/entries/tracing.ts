/** `hookporter/tracing`: deliveries and attempts as OpenTelemetry spans. Re-exports only. */
export type { AttemptTrace, AttemptTracing } from "../dispatch/plan/attempt-tracing.ts";
export { createTracing, type TracingOptions } from "../observe/tracing.ts";
export type { DeliveryTrace } from "../receiver/options/tracing.ts";
