/** `hookporter/tracing`: deliveries and attempts as OpenTelemetry spans. Re-exports only. */
export { createTracing, type TracingOptions } from "../observe/tracing.ts";
